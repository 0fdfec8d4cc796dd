package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"time"

	"bridge/keystore"
)

var errKey = errors.New("the private key is no PEM of an EC P-256, RSA or Ed25519 key")

// signAssertion makes a client assertion (RFC 7523 §3): good for a minute, for
// the issuer alone, once.
func signAssertion(c *registration, issuer string, now time.Time) (keystore.Secret, error) {
	block, _ := pem.Decode([]byte(c.key.Reveal()))
	if block == nil {
		return keystore.Secret{}, errKey
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		if ec, ecErr := x509.ParseECPrivateKey(block.Bytes); ecErr == nil {
			key = ec
		} else if rs, rsErr := x509.ParsePKCS1PrivateKey(block.Bytes); rsErr == nil {
			key = rs
		} else {
			return keystore.Secret{}, errKey
		}
	}
	alg := ""
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		if k.Curve.Params().BitSize != 256 {
			return keystore.Secret{}, errKey
		}
		alg = "ES256"
	case *rsa.PrivateKey:
		alg = "RS256"
	case ed25519.PrivateKey:
		alg = "EdDSA"
	default:
		return keystore.Secret{}, errKey
	}
	part := func(v map[string]any) string {
		b, _ := json.Marshal(v) // strings and numbers always marshal
		return base64.RawURLEncoding.EncodeToString(b)
	}
	text := part(map[string]any{"alg": alg, "typ": "JWT"}) + "." + part(map[string]any{
		"iss": c.id, "sub": c.id, "aud": issuer, "jti": rand.Text(), "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(),
	})
	sum := sha256.Sum256([]byte(text))
	var sig []byte
	switch k := key.(type) {
	case *ecdsa.PrivateKey:
		r, s, e := ecdsa.Sign(rand.Reader, k, sum[:])
		if err = e; err == nil {
			sig = make([]byte, 64)
			r.FillBytes(sig[:32])
			s.FillBytes(sig[32:])
		}
	case *rsa.PrivateKey:
		sig, err = rsa.SignPKCS1v15(nil, k, crypto.SHA256, sum[:])
	case ed25519.PrivateKey:
		sig = ed25519.Sign(k, []byte(text))
	}
	if err != nil {
		return keystore.Secret{}, errKey
	}
	return keystore.NewSecret(text + "." + base64.RawURLEncoding.EncodeToString(sig)), nil
}
