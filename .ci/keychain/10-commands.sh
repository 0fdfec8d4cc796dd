# login, serve, status, logout, with the token in the keyring and nowhere else
set -euo pipefail
cd "$CI_ROOT"
go test -tags secretservice -count=1 -run '^TestKeychainScripts$' -v ./cmd/bridge >"$HOME/commands.log" 2>&1 ||
  { cat "$HOME/commands.log"; exit 1; }
grep -E '^ *--- ' "$HOME/commands.log"
grep -q '^    --- PASS: TestKeychainScripts/' "$HOME/commands.log"
