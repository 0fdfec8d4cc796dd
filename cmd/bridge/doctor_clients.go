package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"bridge/internal/clients"
	"bridge/internal/say"
	"bridge/internal/servers"
)

// clients checks that what the AI clients would start is there, and that it
// finds what is found here. Their files are only read. file is nil if it cannot
// be read.
func (d *doctor) clients(file *servers.File) {
	system := clients.ThisSystem()
	var here []clients.Variable
	if file != nil {
		here, _, _ = variablesHere(file, false) // the keystore has its own check
	}
	entries, problems := clients.Find(system)
	found := false
	for _, p := range problems {
		found = true
		d.warn("clients", p.Client.Title, clientProblem(p.Err).Error(), say.T("look for a missing comma or bracket in it"))
	}
	for _, e := range entries {
		start, _ := e.Remote()
		switch {
		case e.Disabled:
		case e.Serves() != "":
			found = true
			d.clientEntry(e, here)
		case start == clients.StartsRemote, start == clients.StartsElsewhere:
			found = true
			d.warn("clients", e.Client.Title, say.T("%q still starts mcp-remote", e.Name), say.T("run `bridge clients migrate --dry-run`"))
		}
	}
	if !found {
		d.ok("clients", say.T("clients"), say.T("none starts bridge yet; `bridge clients install` puts it into their configs"))
	}
	home := system.Home
	if home == "" {
		return
	}
	d.leftovers(home)
}

// installAgain is the command that writes e anew, in its place.
func installAgain(e clients.Entry) string {
	command := "bridge clients install " + e.Client.ID + " " + e.Serves()
	if e.Name != e.Serves() {
		command += " --as " + shellWord(printable(e.Name))
	}
	return command
}

// clientEntry checks the program that a client's entry names.
func (d *doctor) clientEntry(e clients.Entry, here []clients.Variable) {
	path, client := e.Command, e.Client.Title
	repair := say.T("run `bridge clients repair`")
	if !filepath.IsAbs(path) {
		if _, err := exec.LookPath(path); err != nil {
			d.bad("clients", client, say.T("%q starts %q, which is not in PATH", e.Name, path), repair, exitFailure)
			return
		}
		d.warn("clients", client, say.T("%q starts %q without its path; a desktop app may have another PATH", e.Name, path), repair)
		return
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		d.bad("clients", client, say.T("%q starts %s, which does not exist", e.Name, path), repair, exitFailure)
	case info.IsDir() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		d.bad("clients", client, say.T("%q starts %s, which is no program", e.Name, path), repair, exitFailure)
	case strangerTo(e, here) != "":
		d.warn("clients", client, say.T("%q starts bridge without the %s that is set here, and so with other servers or tokens", e.Name, strangerTo(e, here)),
			say.T("run `%s` to put it into the entry", installAgain(e)))
	default:
		d.ok("clients", client, say.T("%q starts %s", e.Name, path))
	}
}

// leftovers looks for what mcp-remote keeps in clear text.
func (d *doctor) leftovers(home string) {
	dir := firstOf(os.Getenv("MCP_REMOTE_CONFIG_DIR"), filepath.Join(home, ".mcp-auth"))
	n := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && strings.HasSuffix(path, "_tokens.json") {
			n++
		}
		return nil
	})
	switch {
	case err != nil || n == 0:
		d.ok("mcp_remote", "mcp-remote", say.T("no tokens left behind"))
	default:
		d.warn("mcp_remote", "mcp-remote", say.T("%s holds sign-ins in clear text: %d", dir, n), say.T("when no client starts mcp-remote any more, delete that folder"))
	}
}
