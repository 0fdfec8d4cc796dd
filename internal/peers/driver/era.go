package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
)

// The newest revision of each era.
const (
	legacyRevision = "2025-11-25"
	modernRevision = "2026-07-28"
)

// hostInfo and hostCapabilities are what the host says of itself in both eras.
func hostInfo() params { return params{"name": "bridge-conformance-driver", "version": "1.0.0"} }

func hostCapabilities() params {
	return params{"elicitation": params{}, "sampling": params{}, "roots": params{}}
}

// An era is the way a host speaks MCP on stdio: by session, or statelessly.
type era interface {
	// open does what comes before the first request.
	open(ctx context.Context, h *host) error
	// stamp returns the parameters with what every request of the era carries.
	stamp(p params) params
	// request makes a call that the server may answer with questions.
	request(ctx context.Context, h *host, method string, p params) (json.RawMessage, error)
	// allowsServerRequests tells whether a server may ask on its own.
	allowsServerRequests() bool
}

func eraFor(name string) (era, error) {
	switch name {
	case "", "legacy":
		return legacy{}, nil
	case "modern":
		return modern{}, nil
	}
	return nil, fmt.Errorf("DRIVER_ERA is %q, neither legacy nor modern", name)
}

// legacy is MCP with a session: up to 2025-11-25.
type legacy struct{}

func (legacy) open(ctx context.Context, h *host) error {
	_, err := h.call(ctx, "initialize", params{
		"protocolVersion": legacyRevision,
		"capabilities":    hostCapabilities(),
		"clientInfo":      hostInfo(),
	})
	if err != nil {
		return err
	}
	return h.notify("notifications/initialized")
}

func (legacy) stamp(p params) params {
	if p == nil {
		return params{}
	}
	return p
}

func (legacy) request(ctx context.Context, h *host, method string, p params) (json.RawMessage, error) {
	return h.call(ctx, method, p)
}

func (legacy) allowsServerRequests() bool { return true }

// modern is stateless MCP: 2026-07-28.
type modern struct{}

func (modern) open(ctx context.Context, h *host) error {
	_, err := h.call(ctx, "server/discover", nil)
	return err
}

func (modern) stamp(p params) params {
	stamped := maps.Clone(p)
	if stamped == nil {
		stamped = params{}
	}
	stamped["_meta"] = params{
		"io.modelcontextprotocol/protocolVersion":    modernRevision,
		"io.modelcontextprotocol/clientInfo":         hostInfo(),
		"io.modelcontextprotocol/clientCapabilities": params{"elicitation": params{"form": params{}}, "sampling": params{}, "roots": params{}},
	}
	return stamped
}

// request answers a server's questions by asking again with the answers beside
// the original parameters, and the server's state exactly as it came.
func (modern) request(ctx context.Context, h *host, method string, p params) (json.RawMessage, error) {
	const maxRounds = 10
	ask := p
	for range maxRounds {
		result, err := h.call(ctx, method, ask)
		if err != nil {
			return nil, err
		}
		var step struct {
			Type     string `json:"resultType"`
			Requests map[string]struct {
				Method string          `json:"method"`
				Params json.RawMessage `json:"params"`
			} `json:"inputRequests"`
			State json.RawMessage `json:"requestState"`
		}
		if err := json.Unmarshal(result, &step); err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		if step.Type != "input_required" {
			return result, nil
		}
		ask = maps.Clone(p)
		if len(step.Requests) > 0 {
			answers := make(map[string]json.RawMessage, len(step.Requests))
			for key, q := range step.Requests {
				if answers[key], err = answer(q.Method, q.Params); err != nil {
					return nil, fmt.Errorf("%s: %w", method, err)
				}
			}
			ask["inputResponses"] = answers
		}
		if step.State != nil {
			ask["requestState"] = step.State
		}
	}
	return nil, fmt.Errorf("%s: still asking after %d rounds", method, maxRounds)
}

func (modern) allowsServerRequests() bool { return false }
