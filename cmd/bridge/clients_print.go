package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v3"

	"bridge/internal/clients"
	"bridge/internal/say"
	"bridge/internal/servers"
)

func newClientsPrint(a *app) *cli.Command {
	return &cli.Command{
		Name:          "print",
		Usage:         say.T("Print the entry of a server, to be pasted"),
		ArgsUsage:     say.T("[CLIENT] SERVER"),
		UsageText:     "bridge clients print pacecraft\nbridge clients print codex nibomo",
		Description:   say.T("Without a client it is in the form that most clients read. The text goes to stdout, the place for it to stderr."),
		ShellComplete: a.completeClient,
		Action: func(_ context.Context, c *cli.Command) error {
			if err := clientAndServer(c, 2, true); err != nil {
				return err
			}
			words := c.Args().Slice()
			client := ""
			if len(words) == 2 {
				client, words = words[0], words[1:]
			}
			return runClientsPrint(a, client, words[0])
		},
	}
}

func runClientsPrint(a *app, client, server string) error {
	c := clients.Lookup("claude-desktop")
	if client != "" {
		var err error
		if c, err = clientNamed(client); err != nil {
			return err
		}
	}
	file, err := a.loadServers()
	if err != nil {
		return err
	}
	s, err := a.lookup(file, server)
	if err != nil {
		return err
	}
	if s.Name == "" {
		return usage(say.T("the server needs a name")).hint("`bridge login " + toType(s) + " --name NAME`")
	}
	command, err := stablePath()
	if err != nil {
		return fail(exitFailure, say.T("the path of this program cannot be found out: %s", plainError(err))).because(err)
	}
	env, err := a.launchEnv(file, []servers.Server{s})
	if err != nil {
		return err
	}
	launch := clients.Launch{Command: command, Server: s.Name, Env: env}
	text, err := c.Snippet(launch)
	if err != nil {
		return clientProblem(err)
	}
	a.warnBinary(command)
	if a.asJSON {
		out := map[string]any{"server": s.Name, "command": command, "args": []string{"serve", s.Name}, "text": text}
		if len(env) > 0 {
			out["env"] = variables(env)
		}
		if client != "" {
			out["client"], out["path"] = c.ID, c.Locations(clients.ThisSystem())[0].Path
		}
		return a.json(out)
	}
	a.printf("%s\n", strings.TrimRight(text, "\n"))
	if client != "" {
		a.note(say.T("%s reads %s", c.Title, c.Locations(clients.ThisSystem())[0].Path))
	}
	return nil
}

// variables is how --json has them.
func variables(env []clients.Variable) map[string]string {
	out := map[string]string{}
	for _, v := range env {
		out[v.Name] = v.Value
	}
	return out
}
