package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"bridge/internal/cards"
	"bridge/internal/fsx"
	"bridge/internal/say"
	"bridge/internal/servers"
	"bridge/internal/session"
)

// A toolCaller is a connection as package cards sees it.
type toolCaller struct{ c *connection }

// CallTool implements cards.Caller.
func (t toolCaller) CallTool(ctx context.Context, name string, args any) (cards.Reply, error) {
	res, err := t.c.callTool(ctx, name, args)
	if err != nil {
		return cards.Reply{}, err
	}
	r := cards.Reply{IsError: res.IsError, Structured: res.Structured}
	for _, block := range res.Content {
		if block.Type == "text" {
			r.Text = block.Text
			break
		}
	}
	return r, nil
}

// connectCards connects to the server that the cards are on, for the command
// verb.
func (a *app) connectCards(ctx context.Context, verb, name string) (*connection, cardsHome, error) {
	name, err := a.cardsServer(ctx, verb, name)
	if err != nil {
		return nil, cardsHome{}, err
	}
	home, err := cardsHomeOf(name)
	if err != nil {
		return nil, home, err
	}
	done := a.working(say.T("Connecting"))
	c, err := a.connect(ctx, name)
	done()
	if err != nil {
		var p *problem
		if n, _ := cards.Unsent(home.outbox()); n > 0 && errors.As(err, &p) && p.exit == exitUnreachable {
			kept := say.T("grades kept on this machine: %d; the next review sends them", n)
			return nil, home, p.hint(strings.TrimSuffix(kept+"; "+p.tip, "; "))
		}
		return nil, home, err
	}
	return c, home, nil
}

// cardsServer is the server meant when none is named: the only flashcard server
// among the entries, or else the only one that has not been logged out of, or
// the preset. verb is the command, for the hint.
func (a *app) cardsServer(ctx context.Context, verb, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	f, err := a.loadServers()
	if err != nil {
		return "", err
	}
	var found []servers.Server
	for _, s := range f.Servers() {
		if k := s.Kind(); k != nil && k.Name == "nibomo" {
			found = append(found, s)
		}
	}
	if len(found) > 1 { // with one, there is nothing to ask the keychain
		if in := a.signedInto(ctx, f, found); len(in) > 0 {
			found = in
		}
	}
	switch len(found) {
	case 0:
		return "nibomo", nil
	case 1:
		return found[0].Name, nil
	}
	names := make([]string, len(found))
	for i, s := range found {
		names[i] = s.Name
	}
	return "", usage(say.T("there are several servers with flashcards: %s", strings.Join(names, ", "))).
		hint(say.T("name the one you mean, as in `bridge %s %s`", verb, names[0]))
}

// signedInto leaves out the servers that would ask to sign in. One of which
// that cannot be told stays.
func (a *app) signedInto(ctx context.Context, file *servers.File, list []servers.Server) (in []servers.Server) {
	open := sync.OnceValues(func() (store, error) { return openStore(file.Keystore(), false) })
	for _, s := range list {
		f := a.finder(file, s)
		f.open = open
		if r := statusOf(ctx, f); r.SignedIn || r.err != nil || s.Auth == servers.AuthNone {
			in = append(in, s)
		}
	}
	return in
}

// A cardsHome is where what belongs to the cards of one server is kept. It is
// named after the entry, so that grades which wait stay with it when its
// address changes.
type cardsHome struct {
	dir  string
	keep *cardsMemory
}

// cardsMemory is what is remembered from one review to the next.
type cardsMemory struct {
	Workspace string `json:"workspace_id,omitempty"`
	Name      string `json:"workspace_name,omitempty"`
}

func cardsHomeOf(name string) (cardsHome, error) {
	if !servers.ValidName(name) {
		sum := sha256.Sum256([]byte(name))
		name = "url-" + hex.EncodeToString(sum[:8])
	}
	dir, err := fsx.Dir("state", "cards", name)
	if err != nil {
		return cardsHome{}, fail(exitFailure, err.Error()).because(err)
	}
	return openCardsHome(dir), nil
}

func openCardsHome(dir string) cardsHome {
	h := cardsHome{dir, &cardsMemory{}}
	if data, err := fsx.ReadFile(h.memory(), 1<<16); err == nil {
		_ = json.Unmarshal(data, h.keep) // what cannot be read is asked for again
	}
	return h
}

func (h cardsHome) outbox() string        { return filepath.Join(h.dir, "outbox.json") }
func (h cardsHome) memory() string        { return filepath.Join(h.dir, "review.json") }
func (h cardsHome) counts() string        { return filepath.Join(h.dir, "due.json") }
func (h cardsHome) workspaceName() string { return h.keep.Name }

func (h cardsHome) remember(w cards.Workspace) error {
	if h.keep.Workspace == w.ID && h.keep.Name == w.Name {
		return nil
	}
	h.forgetDue() // the count is of the workspace before
	*h.keep = cardsMemory{w.ID, w.Name}
	data, err := json.Marshal(h.keep)
	if err == nil {
		err = fsx.WriteFile(h.memory(), append(data, '\n'))
	}
	if err != nil {
		return fail(exitFailure, say.T("cannot remember the workspace: %s", err.Error())).because(err)
	}
	return nil
}

// cardsWorkspace finds the workspace: the one named, the one remembered, the
// only one, or the one that a person picks.
func (a *app) cardsWorkspace(ctx context.Context, caller cards.Caller, home cardsHome, c *connection, named string) (string, error) {
	if named == "" {
		named = c.server.Workspace
	}
	if named == "" && home.keep.Workspace != "" {
		return home.keep.Workspace, nil
	}
	list, err := cards.Workspaces(ctx, caller)
	if err != nil {
		return "", c.cardsProblem(err)
	}
	pick, err := a.pickWorkspace(ctx, list, named)
	if err != nil {
		return "", err
	}
	return pick.ID, home.remember(pick)
}

func (a *app) pickWorkspace(ctx context.Context, list []cards.Workspace, named string) (cards.Workspace, error) {
	names := make([]string, len(list))
	for i, w := range list {
		names[i] = w.Name
		if named != "" && (strings.EqualFold(w.Name, named) || strings.EqualFold(w.ID, named)) {
			return w, nil
		}
	}
	switch {
	case named != "":
		return cards.Workspace{}, knownName(named, names, say.T("there is no workspace %q", named))
	case len(list) == 0:
		return cards.Workspace{}, fail(exitFailure, say.T("the account has no workspace"))
	case len(list) == 1:
		return list[0], nil
	case !a.interactive():
		return cards.Workspace{}, usage(say.T("the account has several workspaces")).
			hint(say.T("name one with --workspace: %s", printable(strings.Join(names, ", "))))
	}
	a.note(say.T("the account has several workspaces; the choice is remembered"))
	for i, w := range list {
		a.hintLine("  " + strconv.Itoa(i+1) + "  " + printable(w.Name) + "  (" + strconv.Itoa(w.Cards) + ")")
	}
	for {
		answer, err := a.ask(ctx, say.T("Which one? [1]"))
		if err != nil {
			return cards.Workspace{}, err
		}
		if answer == "" {
			answer = "1"
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(list) {
			return list[n-1], nil
		}
		for _, w := range list {
			if strings.EqualFold(w.Name, answer) {
				return w, nil
			}
		}
	}
}

// hintLine writes a line to stderr, as part of a question.
func (a *app) hintLine(text string) { fmt.Fprintln(a.err, text) }

// cardsProblem words an error of package cards.
func (c *connection) cardsProblem(err error) error {
	var p *problem
	var te *cards.ToolError
	switch {
	case errors.As(err, &p), errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &te):
		text := fail(exitToolError, say.T("%s refused: %s", serverTitle(c.server), oneLine(te.Message))).because(err)
		if strings.HasPrefix(te.Message, "MCP error -32602: Tool ") {
			return text.hint(say.T("this server has no flashcards to review; name another with `bridge review NAME`"))
		}
		if te.Code == "WORKSPACE_NOT_FOUND" {
			return text.hint(say.T("choose one with `bridge review --workspace NAME`"))
		}
		return text
	case errors.Is(err, cards.ErrGone):
		return fail(exitFailure, say.T("the card was deleted elsewhere")).because(err)
	case errors.Is(err, cards.ErrForeign):
		return fail(exitFailure, say.T("%s does not answer as a flashcard server does", serverTitle(c.server))).because(err)
	}
	err = c.problem(err)
	var rpc *session.Error
	if exitOf(err) == exitFailure && errors.As(err, &rpc) && (rpc.Code == session.CodeInvalidParams || rpc.Code == session.CodeMethodNotFound) {
		return fail(exitFailure, say.T("%s has no flashcards", serverTitle(c.server))).
			hint(say.T("name a server that has, as in `bridge review nibomo`")).because(err)
	}
	return err
}
