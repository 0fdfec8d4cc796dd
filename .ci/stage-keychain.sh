#!/usr/bin/env bash
# The keystore against a real Secret Service (gnome-keyring), without a display.
#
#   bash .ci/stage-keychain.sh
#
# Installs what is missing, then opens D-Bus sessions of its own, each with an
# empty home, and runs in them the tests behind the build tag secretservice:
#
#   unlocked   the whole suite, many processes, kills, a daemon that hangs
#   locked     the collection is locked and nobody answers
#   nodaemon   a session bus without a Secret Service
#   nobus      no session bus at all
#   commands   every .ci/keychain/*.sh in order, with an unlocked keyring, HOME
#              empty and CI_ROOT the repository; one that fails fails the stage
#
# Nothing touches the keychain of whoever runs this: HOME, XDG_* and the bus are
# all new, and every process ends with its session.
set -euo pipefail

inside() { # SESSION: runs within dbus-run-session
  if [[ $1 == unlocked || $1 == locked || $1 == commands ]]; then
    # The first unlock makes the login collection, with a password that nobody
    # needs again.
    printf 'throw-away' | gnome-keyring-daemon --foreground --unlock --components=secrets \
      >"$HOME/daemon.log" 2>&1 &
    daemon=$!
    # The session waits for its processes, so the daemon has to end with it.
    trap 'kill "$daemon" 2>/dev/null || true' EXIT
    for ((i = 0; ; i++)); do
      unlocked && break
      ((i < 100)) || { cat "$HOME/daemon.log"; echo "gnome-keyring did not come up"; return 1; }
      sleep 0.1
    done
  fi
  if [[ $1 == commands ]]; then
    for script in "$CI_ROOT"/.ci/keychain/*.sh; do
      bash "$script"
    done
    return
  fi
  "$KEYSTORE_TEST" -test.run "^TestSecretService_$1\$" -test.count=1 -test.timeout=5m -test.v |
    tee "$HOME/test.log" | { grep -E '^ *--- |^FAIL|^PASS|_test\.go:|panic' || true; }
  grep -q "^--- PASS: TestSecretService_$1" "$HOME/test.log" # a name that matches nothing passes, too
}

# unlocked: the login collection is there and open. Asks for the owner first,
# because any other question would make the bus start a second daemon.
unlocked() {
  local ask=(dbus-send --session --print-reply)
  "${ask[@]}" --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner \
    string:org.freedesktop.secrets | grep -q 'boolean true' &&
    "${ask[@]}" --dest=org.freedesktop.secrets /org/freedesktop/secrets/collection/login \
      org.freedesktop.DBus.Properties.Get string:org.freedesktop.Secret.Collection string:Locked \
      2>/dev/null | grep -q 'boolean false'
}

if [[ ${1:-} == --inside ]]; then
  inside "$2"
  exit
fi

cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CI_ROOT=$PWD
# shellcheck source=lib.sh
source .ci/lib.sh
mkdir -p "$CI_OUT"
need_apt dbus-run-session dbus-daemon
need_apt dbus-send dbus-bin
need_apt gnome-keyring-daemon gnome-keyring

go vet -tags secretservice ./keystore
KEYSTORE_TEST=$CI_OUT/keystore.test
go test -c -tags secretservice -o "$KEYSTORE_TEST" ./keystore
export KEYSTORE_TEST

work=$(mktemp -d /tmp/keychain.XXXXXX)
trap 'rm -rf "$work"' EXIT
# A bus that starts nothing by itself.
cat >"$work/bare.conf" <<EOF
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=$work</listen>
  <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
EOF

for session in unlocked locked nodaemon nobus commands; do
  bus=(dbus-run-session --)
  case $session in
    nodaemon) bus=(dbus-run-session "--config-file=$work/bare.conf" --) ;;
    nobus)
      # godbus looks at this fixed path; where it exists, there is a bus.
      [[ ! -e /run/user/$UID/bus ]] || { echo "-- nobus: this user has a session bus, nothing to try"; continue; }
      bus=()
      ;;
  esac
  echo "-- $session"
  home=$work/$session
  mkdir -m 700 "$home" "$home/run"
  # Caches stay where they are, so that a hook may build without starting anew.
  gocache=$(go env GOCACHE) gomodcache=$(go env GOMODCACHE)
  timeout --kill-after=10 600 env -u DBUS_SESSION_BUS_ADDRESS -u DISPLAY -u WAYLAND_DISPLAY \
    -u XDG_DATA_HOME -u XDG_CONFIG_HOME -u XDG_CACHE_HOME -u BRIDGE_HOME -u BRIDGE_KEYSTORE \
    HOME="$home" XDG_RUNTIME_DIR="$home/run" GOCACHE="$gocache" GOMODCACHE="$gomodcache" \
    "${bus[@]}" bash .ci/stage-keychain.sh --inside "$session" 2>"$work/$session.err" ||
    { cat "$work/$session.err"; echo "session $session failed"; exit 1; }
done
