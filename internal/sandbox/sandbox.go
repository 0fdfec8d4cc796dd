// Package sandbox is both services on this machine: PaceCraft and the
// flashcard service with its authorization server, on one SQLite database,
// with sample data and with faults on demand. It exists for trying, testing
// and studying offline, against servers that really store what they are told.
//
// It refuses to listen anywhere but on loopback, to send mail, and to reach
// any other host. Linking it costs a process that does not start it nothing:
// the database is opened by Start.
//
// Five origins, because what stands at the root of one must not be found at
// the root of another (PaceCraft has no OAuth metadata):
//
//	PaceCraft    /api/mcp?workspace=NAME
//	flashcards   /mcp  /v1/  /health  /.well-known/oauth-protected-resource
//	sign-in      /authorize  /token  /register  /.well-known/oauth-authorization-server  /api/agent/…
//	lab          /{lab,pacecraft,nibomo}/{json,sse,session,…}: every form of the transport
//	admin        /faults
package sandbox

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"bridge/internal/sandbox/authz"
	"bridge/internal/sandbox/faults"
	"bridge/internal/sandbox/front"
	"bridge/internal/sandbox/lab"
)

// Options of Start. The zero value is a sandbox in memory on free ports.
type Options struct {
	// Addr is a loopback address; empty means 127.0.0.1:0. With a port p the
	// five origins take p to p+4, with port 0 they take free ones.
	Addr string
	// Data is a file, or ":memory:"; empty means the latter.
	Data string
	// Faults are armed from the start.
	Faults []faults.Fault
	// Throttle puts the gateway's limit before the flashcard service and its
	// authorization server: 20 requests a second, 40 in a burst.
	Throttle bool
	// AccessTTL is the life of an access token; 0 means an hour.
	AccessTTL time.Duration
	// Mail is told each code instead of a mail being sent. It may be called
	// from several goroutines. Nil drops the codes.
	Mail func(email, code string)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Sandbox is a running sandbox. Its methods are safe for concurrent use.
type Sandbox struct {
	ctx    context.Context
	cancel context.CancelFunc
	db     *sql.DB
	faults *faults.Set
	authz  *authz.Service
	fronts []*front.Server
	info   Info

	revokers []func() error // one a service: revoke every token of the sample account

	services []*origin // those that a restart concerns
	admin    *origin
	work     sync.WaitGroup
	closing  sync.Once
	closeErr error
}

// Start opens the database, fills it when it is new, and serves. ctx bounds
// the start only; the sandbox runs until Close.
func Start(ctx context.Context, opt Options) (_ *Sandbox, err error) {
	if opt.Addr == "" {
		opt.Addr = "127.0.0.1:0"
	}
	if opt.Data == "" {
		opt.Data = memory
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	host, port, err := loopback(opt.Addr)
	if err != nil {
		return nil, err
	}
	s := &Sandbox{}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	defer func() { //nolint:contextcheck // closing has a budget of its own
		if err != nil {
			err = noRoom(err, opt.Data) // before closing makes a little
			_ = s.Close()               // the reason it did not start is the one to tell
		}
	}()
	var five [5]*origin
	for i := range five {
		p := 0
		if port != 0 {
			p = port + i
		}
		if five[i], err = listen(ctx, net.JoinHostPort(host, strconv.Itoa(p))); err != nil {
			return nil, err
		}
		if i < 4 {
			s.services = append(s.services, five[i])
		} else {
			s.admin = five[i]
		}
	}
	if s.db, err = openDB(ctx, opt.Data); err != nil {
		return nil, err
	}
	s.faults = faults.NewSet(faults.Hooks{Forget: s.Forget, Expire: s.expire, Revoke: s.revoke, Restart: s.restart})
	for _, f := range opt.Faults {
		if err := s.faults.Add(f); err != nil {
			return nil, err
		}
	}
	if err := s.build(ctx, opt, five); err != nil {
		return nil, err
	}
	for _, o := range five {
		o.serve()
	}
	return s, nil
}

// build makes the services and their handlers. Addresses are known by now.
func (s *Sandbox) build(ctx context.Context, opt Options, five [5]*origin) error {
	pace, cards, auth, labs, admin := five[0], five[1], five[2], five[3], five[4]
	var err error
	s.authz, err = authz.New(ctx, s.db, authz.Options{
		Issuer: auth.url(), Resource: cards.url() + "/mcp", API: cards.url(), AccessTTL: opt.AccessTTL,
		Now: opt.Now, Send: opt.Mail, Sample: Learner, Demo: []string{Learner},
	})
	if err != nil {
		return err
	}
	labMux := http.NewServeMux()
	l := &lab.Lab{}
	l.Broadcast = broadcastAll(s.serveVariants(labMux, "lab", front.Options{Handler: l}))

	authHandler := s.authz.Handler()
	pace.handler, err = s.buildPaceCraft(ctx, opt, labMux)
	if err != nil {
		return err
	}
	cards.handler, err = s.buildNibomo(ctx, opt, cards, labMux)
	if err != nil {
		return err
	}
	if opt.Throttle {
		cards.handler = throttle(20, 40, opt.Now, cards.handler)
		authHandler = throttle(20, 40, opt.Now, authHandler)
	}
	pace.handler = s.faults.Wrap("pacecraft", pace.handler)
	cards.handler = s.faults.Wrap("nibomo", cards.handler)
	auth.handler = s.faults.Wrap("auth", authHandler)
	labs.handler = s.faults.Wrap("lab", labMux)

	token := rand.Text()
	admin.handler = s.faults.Admin(token)
	s.info.PaceCraft.URL = pace.url() + "/api/mcp"
	s.info.Nibomo.URL, s.info.Nibomo.Issuer, s.info.Nibomo.API = cards.url()+"/mcp", auth.url(), cards.url()+"/v1/"
	s.info.Nibomo.Email = Learner
	s.info.Lab.URL, s.info.Lab.Services, s.info.Lab.Forms = labs.url(), []string{"lab", "pacecraft", "nibomo"}, variants()
	s.info.Admin.URL, s.info.Admin.Token = admin.url()+"/faults", token
	return nil
}

// Info is where everything is and what opens it.
type Info struct {
	PaceCraft struct {
		URL        string   `json:"url"` // without ?workspace=
		Workspaces []string `json:"workspaces"`
		Token      string   `json:"token"`
	} `json:"pacecraft"`
	Nibomo struct {
		URL    string `json:"url"`
		Key    string `json:"key"`
		Issuer string `json:"issuer"`
		API    string `json:"api"`
		Email  string `json:"email"` // of the sample account; its code is always 00000000
	} `json:"nibomo"`
	Lab struct {
		URL      string   `json:"url"`
		Services []string `json:"services"`
		Forms    []string `json:"forms"` // url/service/form is an endpoint
	} `json:"lab"`
	Admin struct {
		URL   string `json:"url"`
		Token string `json:"token"`
	} `json:"admin"`
}

// Info returns where everything is. The tokens in it open the sandbox and
// nothing else.
func (s *Sandbox) Info() Info { return s.info }

// Faults is what can go wrong on demand.
func (s *Sandbox) Faults() *faults.Set { return s.faults }

// Forget drops every session of every mount.
func (s *Sandbox) Forget() {
	for _, f := range s.fronts {
		f.Forget()
	}
}

func (s *Sandbox) expire() {
	_, _ = s.authz.ExpireAccess(s.ctx) // the requests that follow show it
}

func (s *Sandbox) revoke() {
	for _, f := range s.revokers {
		_ = f() // the requests that follow show it
	}
}

// restart happens behind the request that asked for it, whose connection is
// among those that drop.
func (s *Sandbox) restart() {
	for _, o := range s.services {
		s.work.Go(func() {
			_ = o.restart(s.ctx) // a port that is gone shows as refused connections
		})
	}
	s.Forget()
}

// Close ends every session and stream, lets answers under way finish for a
// moment, and closes the database. It may be called more than once.
func (s *Sandbox) Close() error {
	s.closing.Do(func() {
		s.cancel()
		s.work.Wait()
		for _, f := range s.fronts {
			f.Close()
		}
		for _, o := range s.services {
			o.close()
		}
		if s.admin != nil {
			s.admin.close()
		}
		if s.db != nil {
			if err := s.db.Close(); err != nil {
				s.closeErr = fmt.Errorf("close the sandbox's data: %w", err)
			}
		}
	})
	return s.closeErr
}
