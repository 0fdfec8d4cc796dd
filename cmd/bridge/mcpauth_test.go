package main

import (
	"context"
	"crypto/md5" //nolint:gosec // as mcp-remote does
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"bridge/internal/sandbox"
)

// cmdMCPAuth is `mcpauth FOLDER RELEASE [age=TIME]`: it signs in to the sandbox
// as mcp-remote of that release (v1, 0.1.38) does, and writes below FOLDER what
// that leaves behind, which is so old by the time of the files. $ACCESS and
// $REFRESH are the tokens.
func cmdMCPAuth(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: mcpauth FOLDER RELEASE [age=TIME]")
	}
	var age time.Duration
	for _, arg := range args[2:] {
		var err error
		age, err = time.ParseDuration(strings.TrimPrefix(arg, "age="))
		ts.Check(err)
	}
	address := ts.Getenv("NIBOMO")
	v, ok := sandboxes.Load(address)
	if !ok {
		ts.Fatalf("mcpauth comes after sandbox")
	}
	issuer := v.(*sandbox.Sandbox).Info().Nibomo.Issuer
	client, tokens := signInAsRemote(ts, issuer, address)
	then := time.Now().Add(-age)
	if args[1] == "v1" {
		life, ok := tokens["expires_in"].(float64)
		if !ok {
			ts.Fatalf("no expires_in")
		}
		tokens["expires_at"] = then.UnixMilli() + int64(life)*1000
		tokens["requested_scope"] = "flashcards"
		tokens["issuer"] = issuer + "/"
	}
	dir := filepath.Join(ts.MkAbs(args[0]), "mcp-remote-"+args[1])
	ts.Check(os.MkdirAll(dir, 0o755))
	sum := md5.Sum([]byte(address)) //nolint:gosec // as mcp-remote does
	for name, v := range map[string]any{"client_info.json": client, "tokens.json": tokens} {
		text, err := json.MarshalIndent(v, "", "  ")
		ts.Check(err)
		path := filepath.Join(dir, hex.EncodeToString(sum[:])+"_"+name)
		ts.Check(os.WriteFile(path, text, 0o600))
		ts.Check(os.Chtimes(path, then, then))
	}
	ts.Setenv("ACCESS", tokens["access_token"].(string))
	ts.Setenv("REFRESH", tokens["refresh_token"].(string))
}

// signInAsRemote registers a client and signs in with it.
func signInAsRemote(ts *testscript.TestScript, issuer, resource string) (client, tokens map[string]any) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	codes := make(chan string, 1)
	back := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if code := r.FormValue("code"); code != "" {
			codes <- code
		}
	}))
	defer back.Close()
	redirect := back.URL + "/oauth/callback"
	ask := func(target, media, body string) (out map[string]any) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader(body))
		ts.Check(err)
		req.Header.Set("Content-Type", media)
		res, err := http.DefaultClient.Do(req)
		ts.Check(err)
		defer res.Body.Close()
		ts.Check(json.NewDecoder(res.Body).Decode(&out))
		return out
	}
	client = ask(issuer+"/register", "application/json", `{"client_name":"MCP CLI Proxy","redirect_uris":["`+redirect+`"],`+
		`"token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"response_types":["code"]}`)
	id, ok := client["client_id"].(string)
	if !ok {
		ts.Fatalf("not registered: %v", client)
	}
	const verifier = "a-verifier-of-forty-three-characters-or-more-0"
	sum := sha256.Sum256([]byte(verifier))
	_, err := press(ctx, issuer+"/authorize?"+url.Values{
		"response_type": {"code"}, "client_id": {id}, "redirect_uri": {redirect}, "scope": {"flashcards"}, "state": {"s"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "resource": {resource},
	}.Encode(), "sample")
	ts.Check(err)
	select {
	case code := <-codes:
		tokens = ask(issuer+"/token", "application/x-www-form-urlencoded", url.Values{
			"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier}, "redirect_uri": {redirect},
			"client_id": {id}, "resource": {resource},
		}.Encode())
	case <-ctx.Done():
		ts.Fatalf("no code came back")
	}
	if tokens["access_token"] == nil || tokens["refresh_token"] == nil {
		ts.Fatalf("not signed in: %v", tokens["error"])
	}
	return client, tokens
}
