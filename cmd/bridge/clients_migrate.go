package main

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/urfave/cli/v3"

	"bridge/internal/clients"
	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/keystore"
)

type migrateOptions struct {
	clients []string
	skip    []string
	dryRun  bool
	yes     bool
	force   bool
}

// words are the arguments again, but for --dry-run.
func (o migrateOptions) words() []string {
	out := slices.Clone(o.clients)
	for _, name := range o.skip {
		out = append(out, "--skip", name)
	}
	return out
}

func newClientsMigrate(a *app) *cli.Command {
	var o migrateOptions
	return &cli.Command{
		Name:      "migrate",
		Usage:     say.T("Move entries of mcp-remote over to bridge, and their tokens to the keychain"),
		ArgsUsage: say.T("[CLIENT…]"),
		UsageText: "bridge clients migrate --dry-run\n" +
			"bridge clients migrate\n" +
			"bridge clients migrate claude-desktop cursor --skip files",
		Description: say.T("Finds entries that start mcp-remote, however they do it, and entries with an Authorization header in clear text. Each token is tried at its server and kept in the keychain, and the entry becomes `bridge serve NAME`. A sign-in in the browser that mcp-remote keeps below ~/.mcp-auth is carried over too, once. All of it is shown first; if one step fails, nothing is changed."),
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "skip", Usage: say.T("leave the entry of this `NAME` as it is (repeatable)"), Destination: &o.skip},
			&cli.BoolFlag{Name: "dry-run", Usage: say.T("show what would change and change nothing"), Destination: &o.dryRun},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: say.T("do not ask"), Destination: &o.yes},
			&cli.BoolFlag{Name: "force", Usage: say.T("do it though the client runs"), Destination: &o.force},
		},
		ShellComplete: a.completeClient,
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := entryArgs(c, 0, -1); err != nil {
				return err
			}
			o.clients = c.Args().Slice()
			return runClientsMigrate(ctx, a, o)
		},
	}
}

// A moveReport is one entry of `bridge clients migrate --json`.
type moveReport struct {
	Client    string   `json:"client"`
	Path      string   `json:"path"`
	Entry     string   `json:"entry"`
	Server    string   `json:"server"`
	URL       string   `json:"url"`
	Workspace string   `json:"workspace,omitempty"`
	Auth      string   `json:"auth"`
	Last4     string   `json:"last4,omitempty"` // of the token that goes to the keystore
	NotKept   []string `json:"not_kept,omitempty"`
	Carried   bool     `json:"sign_in_carried_over"` // mcp-remote's
	WhyNot    string   `json:"sign_in_left,omitempty"`
	SignIn    bool     `json:"sign_in_needed"`
}

type stayReport struct {
	Client string `json:"client"`
	Path   string `json:"path"`
	Entry  string `json:"entry"`
	Why    string `json:"why"`
}

func runClientsMigrate(ctx context.Context, a *app, o migrateOptions) error {
	var chosen []*clients.Client
	for _, word := range o.clients {
		c, err := clientNamed(word)
		if err != nil {
			return err
		}
		chosen = append(chosen, c)
	}
	file, err := a.loadServers()
	if err != nil {
		return err
	}
	secrets, err := openStore(file.Keystore(), a.interactive())
	if err != nil {
		return err
	}
	entries, problems := clients.Find(clients.ThisSystem(), chosen...)
	for _, p := range problems {
		a.note(clientProblem(p.Err).Error())
	}
	moves, stays := movesOf(entries, o.skip, os.LookupEnv)
	err = settleNames(file, moves, func(s servers.Server) (string, error) {
		value, err := secrets.Get(ctx, s.CredentialName())
		if errors.Is(err, keystore.ErrNotFound) {
			return "", nil
		}
		if err != nil {
			return "", storeProblem(err, s.Name)
		}
		return string(value), nil
	})
	if err != nil {
		return err
	}
	findCarries(moves, clients.ThisSystem(), os.LookupEnv, func(s servers.Server) (bool, error) {
		_, err := secrets.Get(ctx, s.CredentialName())
		if err == nil || errors.Is(err, keystore.ErrNotFound) {
			return err == nil, nil
		}
		return false, storeProblem(err, s.Name)
	})
	defer func() { closeCarries(moves) }()
	command, err := stablePath()
	if err != nil {
		return fail(exitFailure, say.T("the path of this program cannot be found out: %s", plainError(err))).because(err)
	}
	env, err := a.launchEnv(file, nil)
	if err != nil {
		return err
	}
	plans, moves, more, err := rewritePlans(moves, command, env)
	if err != nil {
		return err
	}
	stays = append(stays, more...)
	secretTexts, where := secretsOf(moves), keystoreName(secrets.Kind().String())
	if !a.asJSON {
		a.showMoves(moves, stays, where)
	}
	a.showPlans(plans, secretTexts...)
	if len(moves) == 0 || o.dryRun {
		return a.migrateDone(o, moves, stays, plans, nil, where)
	}
	a.warnBinary(command)
	var touched []*clients.Client
	for _, p := range plans {
		touched = append(touched, p.Client)
	}
	if err := notRunning(touched, o.force); err != nil {
		return err
	}
	if !o.yes {
		ok, err := a.confirm(ctx, say.T("Move these over (%d)?", len(moves)))
		switch {
		case errors.Is(err, errNoTerminal):
			return usage(say.T("there is no terminal to ask on, and nothing was changed")).
				hint(say.T("look at it with --dry-run, then do it with --yes"))
		case err != nil:
			return err
		case !ok:
			a.printf("%s\n", say.T("Nothing was changed."))
			return nil
		}
	}
	backups, err := a.carryOut(ctx, moves, plans, secrets)
	if err != nil {
		return err
	}
	return a.migrateDone(o, moves, stays, plans, backups, where)
}

// movesOf sorts entries into those that move and those that stay.
func movesOf(entries []clients.Entry, skip []string, getenv func(string) (string, bool)) (moves []*move, stays []stay) {
	for _, e := range entries {
		m, s := moveOf(e, getenv)
		switch {
		case m == nil && s == nil:
		case slices.Contains(skip, e.Name):
			stays = append(stays, stay{entry: e, why: say.T("as you said"), wished: true})
		case m != nil:
			moves = append(moves, m)
		default:
			stays = append(stays, *s)
		}
	}
	return moves, stays
}

// rewritePlans makes a plan for each file. An entry written in a form that is
// not edited stays; a file that cannot be touched at all is an error.
func rewritePlans(moves []*move, command string, env []clients.Variable) (plans []*clients.Plan, moved []*move, stays []stay, err error) {
	for _, m := range moves {
		p := planFor(plans, m.entry.Path)
		if p == nil {
			if p, err = m.entry.Client.Plan(m.entry.Path); err != nil {
				return nil, nil, nil, clientProblem(err)
			}
			plans = append(plans, p)
		}
		err := p.Rewrite(m.entry, clients.Launch{Command: command, Server: m.server.Name, Env: env}, m.drop)
		switch {
		case errors.Is(err, clients.ErrByHand), errors.Is(err, clients.ErrDuplicate):
			stays = append(stays, stay{entry: m.entry, why: say.T("it is written in a form that bridge does not edit")})
		case err != nil:
			return nil, nil, nil, clientProblem(err)
		default:
			moved = append(moved, m)
		}
	}
	plans = slices.DeleteFunc(plans, func(p *clients.Plan) bool { return !p.Changed() })
	return plans, moved, stays, nil
}

func secretsOf(moves []*move) []string {
	var out []string
	for _, m := range moves {
		out = append(out, m.secret...)
	}
	return out
}

// carryOut does it: tokens are tried, then kept, then the files are written.
// What was done is undone if a later step fails.
func (a *app) carryOut(ctx context.Context, moves []*move, plans []*clients.Plan, secrets store) (map[string]string, error) {
	if i := slices.IndexFunc(moves, func(m *move) bool { return !m.token.IsZero() || m.carried() }); i >= 0 {
		if err := storeWorks(ctx, secrets, moves[i].server); err != nil {
			return nil, err
		}
	}
	done := map[string]*move{}
	for _, m := range moves {
		if first := done[m.server.Name]; first != nil {
			m.server = first.server
			continue
		}
		done[m.server.Name] = m
		_, err := a.tryServer(ctx, &m.server, m.token)
		if m.carried() && (err == nil || exitOf(err) == exitSignIn) {
			if err := a.prepare(ctx, m, secrets, err); err != nil {
				return nil, err
			}
		}
		switch {
		case err == nil && m.token.IsZero() && m.server.Auth == servers.AuthAuto:
			m.server.Auth = servers.AuthNone
		case err == nil:
		case exitOf(err) == exitSignIn && m.token.IsZero():
			// It signs in later: by its tool in the client, or by login.
		case exitOf(err) == exitSignIn:
			return nil, fail(exitSignIn, say.T("%s did not take the token of %q in %s, and nothing was changed", serverTitle(m.server), m.entry.Name, m.entry.Client.Title)).
				hint(say.T("leave it out with --skip %s, or put a valid token there first", m.entry.Name)).because(err)
		default:
			return nil, err
		}
	}
	undo, err := a.keepAll(ctx, moves, secrets)
	if err != nil {
		return nil, err
	}
	letGo, err := a.carryOver(ctx, moves)
	var backups map[string]string
	if err == nil {
		backups, err = applyPlans(plans)
	}
	if err != nil {
		a.takeBack(letGo)
		a.takeBack(undo)
		for _, m := range carries(moves) {
			if m.carry.renewed {
				a.note(say.T("the sign-in to %s stays in %s: it had to be renewed, and mcp-remote's copy is worth nothing any more", m.server.Name, keystoreName(secrets.Kind().String())))
			}
		}
		return nil, err
	}
	return backups, nil
}
