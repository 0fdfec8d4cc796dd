package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"bridge/internal/sandbox/authz"
	"bridge/internal/sandbox/nibomo"
	"bridge/internal/sandbox/rpc"
)

// agent serves the REST twins of the tools below /v1/agent/: the same
// arguments and envelopes, with HTTP statuses.
func (c cards) agent(w http.ResponseWriter, r *http.Request, who authz.Identity) {
	conn := nibomo.Connection{ID: who.ConnectionID, User: who.Email}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20))
	if err != nil {
		restError(w, http.StatusRequestEntityTooLarge, "INVALID_REQUEST", "The body is too large.")
		return
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	route := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/v1/agent/")
	var tool string
	switch route {
	case "GET workspaces":
		c.listWorkspaces(w, r, conn)
		return
	case "POST workspaces":
		c.createWorkspace(r.Context(), w, conn, body)
		return
	case "POST sql/query":
		tool = "sql_query"
	case "POST sql/execute":
		tool = "sql_execute"
	case "GET usage-limits":
		tool = "get_usage_limits"
	case "POST reviews/next":
		tool = "next_review_card"
	case "POST reviews/reveal":
		tool = "reveal_answer"
	case "POST reviews/submit":
		tool = "submit_review"
	default:
		if topic, ok := strings.CutPrefix(route, "GET guide/"); ok {
			tool, body = "get_guide", rpc.Marshal(map[string]string{"topic": topic})
		} else if id, ok := strings.CutPrefix(route, "POST workspaces/"); ok && strings.HasSuffix(id, "/select") {
			if err := c.SelectWorkspace(r.Context(), conn, strings.TrimSuffix(id, "/select")); err != nil {
				restFault(w, err)
				return
			}
			restOK(w, http.StatusOK, map[string]any{"workspaceId": strings.TrimSuffix(id, "/select")})
			return
		} else {
			restError(w, http.StatusNotFound, "NOT_FOUND", "There is no such route.")
			return
		}
	}
	result, e := c.Call(r.Context(), conn, tool, body)
	if e != nil {
		restError(w, http.StatusBadRequest, "INVALID_REQUEST", "The body must be a JSON object.")
		return
	}
	restResult(w, result)
}

// restResult unpacks a tool's envelope and gives it the status of its code.
func restResult(w http.ResponseWriter, result json.RawMessage) {
	var r struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	var env struct {
		OK    *bool `json:"ok"`
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(result, &r) != nil || len(r.Content) == 0 {
		restError(w, http.StatusInternalServerError, "INTERNAL_ERROR", "Internal error")
		return
	}
	text := r.Content[0].Text
	if json.Unmarshal([]byte(text), &env) != nil || env.OK == nil {
		restError(w, http.StatusBadRequest, "INVALID_REQUEST", text) // arguments that the tool refused
		return
	}
	status := http.StatusOK
	if !*env.OK {
		status = restStatus(env.Error.Code, env.Error.Message)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

func restStatus(code, message string) int {
	switch code {
	case "REVIEW_EVENT_CONFLICT", "REVIEW_ID_CARD_MISMATCH", "REVIEW_STALE", "WORKSPACE_SELECTION_REQUIRED":
		return http.StatusConflict
	case "WORKSPACE_NOT_FOUND":
		return http.StatusNotFound
	case "SERVICE_UNAVAILABLE", "DATABASE_COMMIT_OUTCOME_UNKNOWN":
		return http.StatusServiceUnavailable
	case "INTERNAL_ERROR", "CARD_FSRS_STATE_INVALID":
		return http.StatusInternalServerError
	case "REQUEST_FAILED":
		if strings.HasSuffix(message, "not found") {
			return http.StatusNotFound
		}
	}
	return http.StatusBadRequest
}

func (c cards) listWorkspaces(w http.ResponseWriter, r *http.Request, conn nibomo.Connection) {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil || limit < 1 || limit > 100 {
		restError(w, http.StatusBadRequest, "INVALID_REQUEST", "limit must be a number from 1 to 100.")
		return
	}
	list, err := c.Workspaces(r.Context(), conn)
	if err != nil {
		restFault(w, err)
		return
	}
	from := 0
	if cursor := r.URL.Query().Get("cursor"); cursor != "" {
		from = 1 + slices.IndexFunc(list, func(x nibomo.Workspace) bool { return x.ID == cursor })
		if from == 0 {
			restError(w, http.StatusBadRequest, "INVALID_REQUEST", "cursor is not one that was handed out.")
			return
		}
	}
	page := list[from:]
	var next *string
	if len(page) > limit {
		page = page[:limit]
		next = &page[limit-1].ID
	}
	restOK(w, http.StatusOK, map[string]any{"workspaces": page, "nextCursor": next})
}

func (c cards) createWorkspace(ctx context.Context, w http.ResponseWriter, conn nibomo.Connection, body []byte) {
	var in struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(body, &in) != nil || strings.TrimSpace(in.Name) == "" {
		restError(w, http.StatusBadRequest, "INVALID_REQUEST", "name is required.")
		return
	}
	made, err := c.CreateWorkspace(ctx, conn, in.Name)
	if err != nil {
		restFault(w, err)
		return
	}
	restOK(w, http.StatusCreated, map[string]any{"workspace": made})
}

func restOK(w http.ResponseWriter, status int, data any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(rpc.Marshal(map[string]any{"ok": true, "data": data, "actions": []any{}, "instructions": ""}))
}

func restError(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(rpc.Marshal(map[string]any{"ok": false, "data": map[string]any{}, "actions": []any{}, "instructions": "Read error.code and error.message.",
		"error": map[string]string{"code": code, "message": message}, "requestId": w.Header().Get("X-Request-Id")}))
}

func restFault(w http.ResponseWriter, err error) {
	var f *nibomo.Fault
	if errors.As(err, &f) {
		restError(w, restStatus(f.Code, f.Message), f.Code, f.Message)
		return
	}
	restError(w, http.StatusInternalServerError, "INTERNAL_ERROR", "Internal error")
}
