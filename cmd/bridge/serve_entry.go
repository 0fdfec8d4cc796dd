package main

import (
	"maps"
	"net/http"
	"time"

	"bridge/bridge"
	"bridge/internal/servers"
)

// findEntry finds the server when it is given by its name, and says where to
// look for its credential. For a URL it does nothing, not even read
// config.toml.
func (o *serveOptions) findEntry(a *app) (*finder, error) {
	if servers.IsURL(o.target) {
		return nil, nil
	}
	file, err := a.loadServers()
	if err != nil {
		return nil, err
	}
	s, err := a.lookup(file, o.target)
	if err != nil {
		return nil, err
	}
	o.entry = &s
	return a.finder(file, s), nil
}

// overEntry puts the entry's settings where the flags, which are in cfg
// already, say nothing.
func (o *serveOptions) overEntry(cfg *bridge.Config) error {
	base, err := entryConfig(*o.entry, o.allowHTTP)
	if err != nil {
		return err
	}
	cfg.URL, cfg.Gate, cfg.AllowHTTP = base.URL, base.Gate, base.AllowHTTP
	cfg.InsecureTLS = cfg.InsecureTLS || base.InsecureTLS
	if cfg.Transport == bridge.TransportAuto {
		cfg.Transport = base.Transport
	}
	if !o.eraGiven {
		cfg.Protocol = base.Protocol
	}
	if last, err := seenOf(*o.entry); err == nil {
		cfg.Recall, cfg.Remember = last.recall, last.remember
	}
	maps.Copy(base.Header, cfg.Header)
	cfg.Header = base.Header
	t, b := &cfg.Timeouts, base.Timeouts
	for _, limit := range [...]struct{ flag, entry *time.Duration }{
		{&t.Connect, &b.Connect}, {&t.TLS, &b.TLS}, {&t.Response, &b.Response},
		{&t.Probe, &b.Probe}, {&t.Initialize, &b.Initialize}, {&t.Retry, &b.Retry},
	} {
		if *limit.flag == 0 {
			*limit.flag = *limit.entry
		}
	}
	return nil
}

// entryConfig is the relay's configuration that an entry asks for.
func entryConfig(s servers.Server, allowHTTP bool) (bridge.Config, error) {
	cfg := bridge.Config{
		URL:       s.Endpoint(),
		AllowHTTP: s.AllowHTTP || allowHTTP,

		InsecureTLS: s.Insecure,

		Header:    http.Header{},
		Gate:      newEntryGate(s),
		UserAgent: userAgent(),
		Timeouts: bridge.Timeouts{
			Connect: s.Timeouts.Connect, TLS: s.Timeouts.TLS, Response: s.Timeouts.Response,
			Probe: s.Timeouts.Probe, Initialize: s.Timeouts.Initialize, Retry: s.Timeouts.Retry,
		},
	}
	if err := checkURL(s.URL, cfg.AllowHTTP); err != nil {
		return cfg, err
	}
	for name, value := range s.Headers {
		cfg.Header.Set(name, value)
	}
	if s.Transport != "" {
		t, err := parseTransport(s.Transport)
		if err != nil {
			return cfg, err
		}
		cfg.Transport = t
	}
	if s.Protocol != "" {
		p, err := parseProtocol(s.Protocol)
		if err != nil {
			return cfg, err
		}
		cfg.Protocol = p
	}
	return cfg, nil
}
