package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"bridge/internal/say"
)

// Completion is a conversation between a script in the user's shell and this
// binary: the script runs `bridge WORDS… --generate-shell-completion`, and each
// line of the answer is a word, or a word, a tab and what it means. It touches
// neither network nor keychain. The scripts are ours, because those of the
// library evaluate what stands on the command line: a `$(…)` typed there, or
// later a tool's name chosen by a server, would be run by the TAB key.

// configureCompletion turns the library's command into ours.
func (a *app) configureCompletion(c *cli.Command) {
	c.Hidden = false
	c.Category = say.T("More")
	c.Usage = say.T("Print a completion script for a shell")
	c.ArgsUsage = "bash | zsh | fish | pwsh"
	c.UsageText = "source <(bridge completion bash)\n" +
		"source <(bridge completion zsh)\n" +
		"bridge completion fish > ~/.config/fish/completions/bridge.fish\n" +
		"bridge completion pwsh | Out-String | Invoke-Expression"
	c.Description = ""
	c.Commands = nil
	c.Action = func(_ context.Context, c *cli.Command) error {
		if err := argCount(c, 1, 1); err != nil {
			return err
		}
		return runCompletion(a, c.Args().First())
	}
	c.ShellComplete = func(context.Context, *cli.Command) {
		a.printf("bash\nzsh\nfish\npwsh\n")
	}
	a.tame(c)
}

func runCompletion(a *app, shell string) error {
	script := ""
	switch shell {
	case "bash":
		script = completeBash
	case "zsh":
		script = completeZsh
	case "fish":
		script = completeFish
	case "pwsh", "powershell":
		script = completePwsh
	default:
		return usage(say.T("no completion for the shell %q", shell)).
			hint(say.T("there is one for bash, zsh, fish and pwsh"))
	}
	a.printf("%s", completionFor(calledAs(os.Args[0]), script))
	return nil
}

// packageName is what the program is called in packages and, on systems where
// `bridge` is another program, in /usr/bin.
const packageName = "mcp-bridge"

// calledAs is the name by which the user started the program.
func calledAs(argv0 string) string {
	if strings.TrimSuffix(filepath.Base(argv0), ".exe") == packageName {
		return packageName
	}
	return "bridge"
}

// completionFor is a script for the program under another name, with functions
// of its own, so that both names can be completed at once.
func completionFor(name, script string) string {
	if name == "bridge" {
		return script
	}
	const ours = "\x00" // the functions, while the command is renamed
	function := "_" + strings.ReplaceAll(name, "-", "_")
	script = strings.ReplaceAll(script, "_bridge", ours)
	script = strings.ReplaceAll(script, "bridge", name)
	return strings.ReplaceAll(script, ours, function)
}

// complete answers for a command that has no answer of its own: flags when a
// flag was begun, else subcommands.
func (a *app) complete(_ context.Context, c *cli.Command) {
	if a.flagBegun() {
		for _, at := range c.Lineage() {
			for _, f := range at.Flags {
				if local, ok := f.(cli.LocalFlag); at != c && (!ok || local.IsLocal()) {
					continue
				}
				a.offer(dashes(f.Names()[0]), flagUsage(f))
			}
		}
		return
	}
	for _, sub := range c.Commands {
		if !sub.Hidden {
			a.offer(sub.Name, sub.Usage)
		}
	}
}

// flagBegun says whether the last word is a flag that is being typed. The
// library keeps such a word to itself.
func (a *app) flagBegun() bool {
	n := len(a.args) - 2 // before --generate-shell-completion
	return n >= 0 && len(a.args[n]) > 1 && a.args[n][0] == '-'
}

// offer prints a line of the answer. Words of a server's choosing go through
// here as well, so nothing in them may end the line.
func (a *app) offer(word, meaning string) {
	clean := func(s string) string {
		return strings.NewReplacer("\n", " ", "\t", " ").Replace(printable(s))
	}
	if meaning == "" {
		fmt.Fprintln(a.out, clean(word))
		return
	}
	fmt.Fprintf(a.out, "%s\t%s\n", clean(word), clean(meaning))
}

// bash takes words apart at = and : (COMP_WORDBREAKS), so that they are put
// together again first, and what stands before the last of them is taken off
// the answer.
const completeBash = `# bash completion for bridge
_bridge() {
    local line word piece last="" i
    local -a words=()
    for ((i = 1; i <= COMP_CWORD; i++)); do
        piece="${COMP_WORDS[i]}"
        if ((i > 1)) && [[ $piece == [=:]* || $last == *[=:] ]]; then
            words[${#words[@]}-1]+="$piece"
        else
            words+=("$piece")
        fi
        last="${words[${#words[@]}-1]}"
    done
    local cur="$last" head
    head="${cur%"${cur##*[=:]}"}"
    [[ $cur == -* ]] || unset "words[${#words[@]}-1]"
    COMPREPLY=()
    while IFS= read -r line; do
        word="${line%%$'\t'*}"
        [[ $word == "$cur"* ]] && COMPREPLY+=("$(printf '%q' "${word#"$head"}")")
    done < <(command bridge "${words[@]}" --generate-shell-completion 2>/dev/null)
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}
complete -o bashdefault -o default -F _bridge bridge
`

const completeZsh = `#compdef bridge
_bridge() {
    local cur="${words[CURRENT]}" line
    local -a before offered shown open openshown
    before=("${(@)words[2,CURRENT-1]}")
    [[ $cur == -* ]] && before+=("$cur")
    while IFS= read -r line; do
        if [[ ${line%%$'\t'*} == *= ]]; then
            open+=("${line%%$'\t'*}")
            openshown+=("${line/$'\t'/  -- }")
        else
            offered+=("${line%%$'\t'*}")
            shown+=("${line/$'\t'/  -- }")
        fi
    done < <(command bridge "${before[@]}" --generate-shell-completion 2>/dev/null)
    if (( $#offered + $#open )); then
        (( $#offered )) && compadd -l -d shown -a offered
        (( $#open )) && compadd -l -S '' -d openshown -a open
    else
        _files
    fi
}
if [[ $funcstack[1] == _bridge ]]; then
    _bridge "$@"
else
    compdef _bridge bridge
fi
`

const completeFish = `# fish completion for bridge
function __bridge_complete
    set -l words (commandline -opc)[2..-1]
    set -l cur (commandline -ct)
    string match -q -- '-*' $cur; and set -a words $cur
    command bridge $words --generate-shell-completion 2>/dev/null
end
complete -c bridge -a '(__bridge_complete)'
`

const completePwsh = `# PowerShell completion for bridge
Register-ArgumentCompleter -Native -CommandName bridge -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($words.Count -gt 0 -and $wordToComplete -ne '' -and $wordToComplete -notlike '-*') {
        $words = @($words | Select-Object -SkipLast 1)
    }
    & bridge @words --generate-shell-completion 2>$null | ForEach-Object {
        $word, $meaning = $_ -split "` + "`t" + `", 2
        if (-not $meaning) { $meaning = $word }
        if ($word -like "$wordToComplete*") {
            [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $meaning)
        }
    }
}
`
