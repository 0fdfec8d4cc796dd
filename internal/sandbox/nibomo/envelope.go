package nibomo

import (
	"encoding/json"

	"bridge/internal/sandbox/rpc"
)

// docs is the same in every envelope.
type docs struct {
	DiscoveryURL string     `json:"discoveryUrl"`
	Source       docsSource `json:"source"`
}

type docsSource struct {
	RepositoryURL  string `json:"repositoryUrl"`
	AgentRoutesURL string `json:"agentRoutesUrl"`
	AuthRoutesURL  string `json:"authRoutesUrl"`
}

const repository = "https://github.com/kirill-markin/flashcards-open-source-app"

func (s *Service) docs() docs {
	return docs{s.opts.PublicURL + "/v1/agent", docsSource{
		repository,
		repository + "/blob/main/apps/backend/src/routes/agent.ts",
		repository + "/blob/main/apps/auth/src/app.ts",
	}}
}

type success struct {
	OK           bool            `json:"ok"`
	Data         json.RawMessage `json:"data"`
	Instructions string          `json:"instructions"`
	Docs         docs            `json:"docs"`
}

type failure struct {
	OK           bool     `json:"ok"`
	Data         struct{} `json:"data"`
	Instructions string   `json:"instructions"`
	Docs         docs     `json:"docs"`
	Error        *Fault   `json:"error"`
	RequestID    string   `json:"requestId,omitempty"`
}

func (s *Service) envelope(data json.RawMessage, instructions string) json.RawMessage {
	return rpc.Marshal(success{true, data, instructions, s.docs()})
}

// answer makes the result of a tool that did its work.
func (s *Service) answer(data json.RawMessage, instructions string) json.RawMessage {
	var r struct {
		Content    [1]textContent `json:"content"`
		Structured struct {
			Data json.RawMessage `json:"data"`
		} `json:"structuredContent"`
	}
	r.Content[0] = textContent{"text", string(s.envelope(data, instructions))}
	r.Structured.Data = data
	return rpc.Marshal(r)
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// refuse makes the result of a tool that did not.
func (s *Service) refuse(tool string, err error) json.RawMessage {
	f := asFault(err)
	e := failure{Instructions: advice(f, tool), Docs: s.docs(), Error: f}
	if f.Code == codeInternal || f.Code == codeCardState {
		e.RequestID = s.opts.NewID()
	}
	return rpc.Text(string(rpc.Marshal(e)), true)
}

// units is the length of text as the service counts it: UTF-16 code units.
func units(text []byte) int {
	n := 0
	for _, b := range text {
		switch {
		case b >= 0xf0: // four bytes in UTF-8 are two units
			n += 2
		case b&0xc0 != 0x80:
			n++
		}
	}
	return n
}
