package clients

import (
	"slices"
	"strings"
)

// A Start is what an entry starts, as far as moving over goes.
type Start int

// The ways there are.
const (
	StartsOther     Start = iota // nothing of mcp-remote's
	StartsRemote                 // mcp-remote, with arguments that are known
	StartsElsewhere              // mcp-remote in a container, on another machine or in a shell's script
	Connects                     // no program: the client connects, with an Authorization of its own
)

// Remote says how the entry reaches a remote server and, for StartsRemote, with
// which arguments of mcp-remote. Runners are recognised by what they run: the
// first word that names the package, whatever stands before it (npx -y, bunx,
// pnpm dlx, npm exec --, deno run npm:…, cmd /c npx.cmd, mise exec -- npx, node
// and a path). The arguments may hold secrets.
func (e Entry) Remote() (Start, []string) {
	if e.Command == "" {
		if e.URL == "" {
			return StartsOther, nil
		}
		for name := range e.Headers {
			if strings.EqualFold(name, "Authorization") {
				return Connects, nil
			}
		}
		return StartsOther, nil
	}
	words := append([]string{e.Command}, e.Args...)
	if len(e.Args) == 0 && strings.Contains(e.Command, " ") {
		// The whole line in one string, as some manuals have it.
		words = strings.Fields(e.Command)
	}
	at := -1
	for i, w := range words {
		// A path may be one that a program is given to work on; then no
		// address follows.
		if isRemote(w) && (i == 0 || !strings.ContainsAny(w, `/\`) || slices.ContainsFunc(words[i:], isAddress)) {
			at = i
			break
		}
	}
	if at < 0 {
		for _, w := range words[1:] {
			if strings.Contains(w, "mcp-remote") && strings.ContainsAny(w, " \t") {
				return StartsElsewhere, nil // in a script for a shell
			}
		}
		return StartsOther, nil
	}
	for _, w := range words[:at] {
		switch programName(w) {
		case "docker", "podman", "nerdctl", "ssh", "wsl", "kubectl":
			return StartsElsewhere, nil
		case "sh", "bash", "zsh", "dash", "fish", "powershell", "pwsh":
			return StartsElsewhere, nil
		}
	}
	rest := words[at+1:]
	// npx -p mcp-remote mcp-remote URL names it twice; npm exec has a --.
	for len(rest) > 0 && (rest[0] == "--" || isRemote(rest[0])) {
		rest = rest[1:]
	}
	return StartsRemote, rest
}

// isRemote reports whether a word of a command line names mcp-remote: the
// package with or without a version, a program of that name, or the script
// inside the package.
func isRemote(word string) bool {
	for _, prefix := range []string{"npm:", "jsr:", "--package=", "-p="} {
		word = strings.TrimPrefix(word, prefix)
	}
	if strings.Contains(word, "://") {
		return false
	}
	parts := strings.FieldsFunc(word, func(r rune) bool { return r == '/' || r == '\\' })
	for i, part := range parts {
		name, _, _ := strings.Cut(part, "@")
		if name != "mcp-remote" && programName(part) != "mcp-remote" {
			continue
		}
		// …/mcp-remote/dist/proxy.js, and not a folder that is just called so.
		last := i == len(parts)-1
		if last || slices.Contains(parts[i+1:], "dist") && strings.HasPrefix(parts[len(parts)-1], "proxy.") {
			return true
		}
	}
	return false
}

func isAddress(word string) bool {
	return strings.Contains(word, "://") || strings.Contains(word, "${")
}
