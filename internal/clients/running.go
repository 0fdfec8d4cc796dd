package clients

import "strings"

// Running reports whether the client's program runs now. It is asked of
// clients that rewrite their file; for others, and where the list of processes
// cannot be read, the answer is false.
func (c *Client) Running() bool {
	if !c.Rewrites {
		return false
	}
	for _, p := range processes() {
		if isClaudeDesktop(p) {
			return true
		}
	}
	return false
}

// A process is one that runs: the path of its program as far as the system
// tells, else its name.
type process string

// isClaudeDesktop tells the desktop application from Claude Code, whose program
// is called claude as well.
func isClaudeDesktop(p process) bool {
	path := strings.ReplaceAll(string(p), `\`, "/")
	name := path[strings.LastIndexByte(path, '/')+1:]
	low := strings.ToLower(path)
	switch {
	case name == "Claude", name == "claude-desktop": // macOS; the packages for Linux
		return true
	case strings.EqualFold(name, "claude.exe"):
		return !strings.Contains(path, "/") && name == "Claude.exe" ||
			strings.Contains(low, "/anthropicclaude/") || strings.Contains(low, "/windowsapps/claude_")
	}
	return false
}
