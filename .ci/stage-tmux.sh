#!/usr/bin/env bash
# Reviews in a real terminal: tmux types the keys and reads the screen. Run by
# .ci/run; alone: bash .ci/stage-tmux.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
CI_ROOT=$PWD
export CI_ROOT
# shellcheck source=lib.sh
source .ci/lib.sh

need_apt tmux tmux
need_apt pgrep procps
bridge=$(bridge_binary)
work=$(mktemp -d)
socket=review-$$-0
opened=0
server=
# shellcheck disable=SC2329
finish() {
  tmux -L "$socket" kill-server 2>/dev/null || true
  [[ -z $server ]] || kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
export BRIDGE_HOME=$work/home LC_ALL=C.UTF-8 BRIDGE_LANG=en

screen() { tmux -L "$socket" capture-pane -p; }
keys() { tmux -L "$socket" send-keys "$@"; }

# open WIDTH HEIGHT COMMAND: a fresh terminal in which COMMAND runs.
open() {
  tmux -L "$socket" kill-server 2>/dev/null || true
  opened=$((opened + 1))
  socket=review-$$-$opened # the one before is still ending
  tmux -L "$socket" -f /dev/null new-session -d -x "$1" -y "$2" "$3; echo \"ended with \$?\"; sleep 60"
}

# see PATTERN…: wait until the screen shows each of them.
see() {
  local pattern deadline
  for pattern in "$@"; do
    deadline=$((SECONDS + 15))
    until screen | grep -qE -- "$pattern"; do
      if ((SECONDS >= deadline)); then
        printf 'not on the screen: %s\n' "$pattern"
        screen
        exit 1
      fi
      sleep 0.1
    done
  done
}

# The demo at the usual size: reveal, grade, undo, grade again, leave.
open 80 24 "$bridge demo --review"
see 'new · ' 'space shows the answer' '0/'
keys Space
see '1 Again' '4 Easy' 'space Good'
keys 3
see 'Good  u takes it back' ' 1/'
keys u
see 'Taken back' ' 0/'
keys 4
see 'Easy  u takes it back'
keys '?'
see 'take the last grade back'
keys Escape
see 'space shows the answer'
keys /
see 'All cards' '# indonesia'
keys k a n j i Enter
see 'kanji'
keys q
see '1 card in' 'ended with 0'
echo 'keys at 80×24: as they should be'

# The smallest size, in Indonesian: the grades are all there.
open 40 12 "BRIDGE_LANG=id $bridge demo --review"
see 'baru · '
keys Space
see '1 Lagi' '2 Sulit' '3 Bagus' '4 Mudah'
keys Space
tmux -L "$socket" resize-window -x 100 -y 30
see 'spasi'
keys C-c
see 'ended with 0'
echo 'keys at 40×12, resized while running: as they should be'

# Without colour nothing is coloured, and everything is still said.
open 80 24 "NO_COLOR=1 $bridge demo --review"
see 'space shows the answer'
keys Space
see '1 Again'
if tmux -L "$socket" capture-pane -p -e | grep -q $'\e\\[[0-9;]*[39][0-7]m'; then
  echo 'NO_COLOR is not kept'
  exit 1
fi
keys q
see 'ended with 0'
echo 'NO_COLOR: kept'

# A dumb terminal goes line by line.
open 80 24 "TERM=dumb $bridge demo --review"
see 'Enter for the answer'
keys Enter
see '1 to 4, Enter for Good'
keys 2 Enter
see 'Hard. u takes it back'
keys q Enter
see 'ended with 0'
echo 'line by line: as it should be'

# Against a server of its own: the editor, and a kill in the middle. The grade
# that was given is on disk, and the next review sends it.
"$bridge" sandbox --json >"$work/sandbox.json" &
server=$!
until [[ -s $work/sandbox.json ]]; do sleep 0.1; done
url=$(sed 's/.*"nibomo":{"url":"\([^"]*\)".*/\1/' "$work/sandbox.json")
BRIDGE_TOKEN=$(sed 's/.*"key":"\(fca_[^"]*\)".*/\1/' "$work/sandbox.json")
export BRIDGE_TOKEN
"$bridge" add "$url" --workspace Studies --front 'Capital of Japan?' --back Tokyo --tag geography >/dev/null
printf '#!/bin/sh\nsed -i "s/Tokyo/Tokyo, since 1868/" "$1"\n' >"$work/editor"
chmod +x "$work/editor"
open 80 24 "EDITOR=$work/editor $bridge review $url --tag geography"
see 'Capital of Japan'
keys e
see 'UPDATE cards SET back_text' 'y: yes, n: no'
keys y
see 'Changed'
keys Space
see 'Tokyo, since 1868'
keys 4
see 'u takes it back'
pid=$(tmux -L "$socket" list-panes -F '#{pane_pid}')
kill -9 "$(pgrep -P "$pid" -f "review $url")"
see 'ended with 137'
grep -q '"rating":"Easy"' "$BRIDGE_HOME"/state/cards/*/outbox.json
"$bridge" review "$url" --tag geography </dev/null | grep -q 'Nothing is due'
[[ $("$bridge" due "$url" --tag geography --count) == 0 ]]
grep -q '"entries":\[\]' "$BRIDGE_HOME"/state/cards/*/outbox.json
echo 'editor, and a kill with a grade on disk: nothing lost'
