# what becomes of serve, status and login when the keyring is locked under them;
# it comes last, because nobody is there to unlock it again
set -euo pipefail
cd "$CI_ROOT"
dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets \
  org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login >/dev/null
go test -tags secretservice -count=1 -run '^TestLockedKeychain$' -v ./cmd/bridge >"$HOME/locked.log" 2>&1 ||
  { cat "$HOME/locked.log"; exit 1; }
grep -E '^ *--- ' "$HOME/locked.log"
grep -q '^    --- PASS: TestLockedKeychain/' "$HOME/locked.log"
