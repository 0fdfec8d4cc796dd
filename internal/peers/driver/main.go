// Command driver is what the official MCP conformance suite starts as "the
// client" when a stdio bridge is what it should test:
//
//	conformance ──▶ driver URL ──▶ $BRIDGE_CMD ──HTTP──▶ the suite's mock server
//	                  │ stdin, stdout: MCP
//	                  └ plays the scenario the suite names in the environment
//
// The suite judges what reaches its mock; the driver judges what reaches the
// host: a line on stdout that is no JSON-RPC message, an answer with isError, an
// exit status other than 0 or an exit later than two seconds after the end of
// stdin fail the scenario. It refuses to play a scenario it does not know,
// because a scenario that was not played can look like one that passed.
//
// Environment:
//
//	BRIDGE_CMD                  command line, split at blanks; {url} is replaced
//	DRIVER_ERA                  legacy (default) or modern: what the host speaks
//	DRIVER_TRACE                when set, the conversation is copied to stderr
//	MCP_CONFORMANCE_SCENARIO    set by the suite
//	MCP_CONFORMANCE_CONTEXT     set by the suite for some scenarios, JSON
//	DRIVER_CLIENT_ARGS          more arguments for scenarios whose context has a
//	                            registered client; {client_id}, {client_secret}
//	                            and {private_key}, a file, are replaced
//
// Under the name "browser" the same program is the user's browser: see browse.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// scenarioTimeout bounds one scenario. The suite's own bound is longer, so that
// the reason given is the driver's.
const scenarioTimeout = 50 * time.Second

func main() {
	if err := start(); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(1)
	}
}

func start() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == browserName {
		return browse(ctx, os.Args[len(os.Args)-1])
	}
	ctx, cancel := context.WithTimeoutCause(ctx, scenarioTimeout, errors.New("the scenario took too long"))
	defer cancel()
	return run(ctx, os.Args[1:])
}

// registration is the part of the suite's context that goes to the bridge.
type registration struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	PrivateKey   string `json:"private_key_pem"`
}

func run(ctx context.Context, args []string) (err error) {
	if len(args) == 0 {
		return errors.New("usage: driver URL")
	}
	name := os.Getenv("MCP_CONFORMANCE_SCENARIO")
	play, ok := scenario(name)
	if !ok {
		return fmt.Errorf("no script for scenario %q", name)
	}
	suite := json.RawMessage(os.Getenv("MCP_CONFORMANCE_CONTEXT"))
	dir, err := os.MkdirTemp("", "driver")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	argv, err := bridgeCommand(dir, args[len(args)-1], suite)
	if err != nil {
		return err
	}
	host, err := startHost(ctx, argv)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.close()) }()
	if err := host.era.open(ctx, host); err != nil {
		return err
	}
	return play(ctx, host, suite)
}

// bridgeCommand makes the bridge's argv. Blanks separate arguments and there is
// no quoting, as in the suite's own --command. A private key goes into a file in
// dir.
func bridgeCommand(dir, url string, suite json.RawMessage) ([]string, error) {
	argv := strings.Fields(os.Getenv("BRIDGE_CMD"))
	if len(argv) == 0 {
		return nil, errors.New("BRIDGE_CMD is not set")
	}
	var reg registration
	if len(suite) > 0 {
		if err := json.Unmarshal(suite, &reg); err != nil {
			return nil, fmt.Errorf("read MCP_CONFORMANCE_CONTEXT: %w", err)
		}
	}
	if reg.ClientID != "" {
		argv = append(argv, strings.Fields(os.Getenv("DRIVER_CLIENT_ARGS"))...)
	}
	keyFile := ""
	if reg.PrivateKey != "" {
		keyFile = filepath.Join(dir, "client.pem")
		if err := os.WriteFile(keyFile, []byte(reg.PrivateKey), 0o600); err != nil {
			return nil, err
		}
	}
	fill := strings.NewReplacer("{url}", url, "{client_id}", reg.ClientID, "{client_secret}", reg.ClientSecret, "{private_key}", keyFile)
	for i := range argv {
		argv[i] = fill.Replace(argv[i])
	}
	return argv, nil
}
