package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bridge/keystore"
)

// An EmailError is the answer of a service to a code or an address. Code is
// the service's own; Again says that the same code entry may be tried again.
type EmailError struct {
	Code  string
	Text  string
	Again bool
}

func (e *EmailError) Error() string {
	if e.Text == "" {
		return e.Code
	}
	return e.Text
}

// An EmailLogin is a sign-in by a code that comes by e-mail: a service that
// describes it at /v1/ gives a long-lived key for it.
type EmailLogin struct {
	s      *Session
	verify string
	handle keystore.Secret

	// Expires is when the code is no longer good.
	Expires time.Time
}

// envelope is how such a service answers.
type envelope struct {
	OK    bool            `json:"ok"`
	Data  json.RawMessage `json:"data"`
	Error *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// apiFor is where the description is: at the API host beside the MCP host, as
// in mcp.example.com and api.example.com, or at the origin itself.
func (s *Session) apiFor() string {
	u := url.URL{Scheme: s.server.Scheme, Host: s.server.Host, Path: "/v1/"}
	if rest, ok := strings.CutPrefix(strings.ToLower(s.server.Hostname()), "mcp."); ok {
		u.Host = "api." + rest
		if p := s.server.Port(); p != "" {
			u.Host += ":" + p
		}
	}
	return u.String()
}

// SendCode asks the service to send a code to an address. That also makes an
// account for an address that has none.
func (s *Session) SendCode(ctx context.Context, email string) (*EmailLogin, error) {
	var about envelope
	if err := s.net().getJSON(ctx, s.apiFor(), &about); err != nil {
		return nil, noEmail(err)
	}
	var d struct {
		Authentication struct {
			Type   string `json:"type"`
			Send   string `json:"sendCodeUrl"`
			Verify string `json:"verifyCodeUrl"`
		} `json:"authentication"`
	}
	if json.Unmarshal(about.Data, &d) != nil || d.Authentication.Type != "email_otp_then_api_key" {
		return nil, failure(ErrNoOAuth, "no sign-in by e-mail")
	}
	if _, err := s.net().checkURL(d.Authentication.Verify); err != nil {
		return nil, err
	}
	var sent struct {
		Handle  string  `json:"otpSessionToken"`
		Expires float64 `json:"expiresInSeconds"`
	}
	if err := s.postEnvelope(ctx, d.Authentication.Send, map[string]string{"email": email}, &sent); err != nil {
		return nil, err
	}
	if sent.Handle == "" {
		return nil, failure(ErrUnreachable, "no code session")
	}
	return &EmailLogin{s: s, verify: d.Authentication.Verify, handle: secret(sent.Handle),
		Expires: s.now().Add(time.Duration(min(max(sent.Expires, 30), 3600)) * time.Second)}, nil
}

func noEmail(err error) error {
	var st *statusError
	if errors.As(err, &st) && st.status < 500 {
		return failure(ErrNoOAuth, "no sign-in by e-mail")
	}
	if transient(err) {
		return failure(ErrUnreachable, "%v", err)
	}
	return err
}

// Verify turns the code into a key. label is what the service calls the key
// in its settings, 1 to 120 characters. An *EmailError with Again means that
// the person may type the code again.
func (l *EmailLogin) Verify(ctx context.Context, code, label string) (keystore.Secret, error) {
	var out struct {
		Key string `json:"apiKey"`
	}
	err := l.s.postEnvelope(ctx, l.verify, map[string]string{"code": code, "otpSessionToken": l.handle.Reveal(), "label": label}, &out)
	if err != nil {
		return keystore.Secret{}, err
	}
	if out.Key == "" || strings.ContainsAny(out.Key, " \r\n\t") {
		return keystore.Secret{}, failure(ErrUnreachable, "no key")
	}
	return keystore.NewSecret(out.Key), nil
}

// postEnvelope posts JSON and reads the data of the answer.
func (s *Session) postEnvelope(ctx context.Context, target string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	a, err := s.net().do(ctx, http.MethodPost, target, "application/json", body, nil)
	if err != nil {
		if transient(err) {
			return failure(ErrUnreachable, "%v", err)
		}
		return err
	}
	var e envelope
	if json.Unmarshal(bytes.TrimSpace(a.body), &e) != nil {
		return failure(ErrUnreachable, "%v", a.statusError())
	}
	if e.Error != nil {
		code := plain(e.Error.Code)
		return &EmailError{Code: code, Text: plain(e.Error.Message), Again: code == "OTP_CODE_INVALID"}
	}
	if a.status >= 300 || json.Unmarshal(e.Data, out) != nil {
		return failure(ErrUnreachable, "%v", a.statusError())
	}
	return nil
}
