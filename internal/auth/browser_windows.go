package auth

import (
	"os"
	"path/filepath"
)

// systemBrowsers names rundll32 by its whole path: `cmd /c start` would be a
// shell, and a program of that name may lie in the current folder.
func systemBrowsers() ([][]string, error) {
	root := os.Getenv("SystemRoot")
	if root == "" {
		root = `C:\Windows`
	}
	return [][]string{{filepath.Join(root, "System32", "rundll32.exe"), "url.dll,FileProtocolHandler"}}, nil
}
