# Shared by .ci/run and its stages. Sourced, never run.
# shellcheck shell=bash

CI_OUT=$CI_ROOT/.ci/out
CI_CACHE=${CI_CACHE:-$HOME/.cache/bridge-ci}
# What is tested is what is shipped: no cgo, and the toolchain that is here. The
# race stage alone turns cgo on, because the race detector needs it.
export CI_OUT CI_CACHE CGO_ENABLED=0 GOTOOLCHAIN=local

# minutes SECONDS: as 1m05s.
minutes() { printf '%dm%02ds' $(($1 / 60)) $(($1 % 60)); }

# The platforms every commit has to build for.
platforms() { printf '%s\n' {linux,darwin,windows}/{amd64,arm64}; }

# need_apt COMMAND PACKAGE…: install Debian packages unless COMMAND is there.
# The package lists are fetched once a run.
need_apt() {
  local command=$1
  shift
  command -v "$command" >/dev/null && return
  local stamp=$CI_OUT/apt-updated
  if [[ -z $(find "$stamp" -mmin -120 2>/dev/null) ]]; then
    DEBIAN_FRONTEND=noninteractive apt-get update -qq
    mkdir -p "$CI_OUT" && touch "$stamp"
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >"$CI_OUT/apt.log" 2>&1 ||
    { cat "$CI_OUT/apt.log"; return 1; }
  command -v "$command" >/dev/null || { echo "$command is missing after installing $*"; return 1; }
}

# go_tool NAME VERSION PACKAGE: build a Go tool at exactly VERSION, once, and
# print its path. The version is in the path, so another one never stands in.
go_tool() {
  local name=$1 version=$2 package=$3
  local dir=$CI_CACHE/$name-$version
  if [[ ! -x $dir/$name ]]; then
    echo "installing $name $version" >&2
    mkdir -p "$dir.new"
    GOBIN=$dir.new GOFLAGS=-mod=mod go install "$package@$version" >&2
    rm -rf "$dir" && mv "$dir.new" "$dir"
  fi
  echo "$dir/$name"
}

# npm_peers: install the peers of .ci/npm by their lock file (npm's own install
# scripts stay off) and put their commands, a Node.js new enough for them
# included, first in PATH.
npm_peers() {
  local dir=$CI_ROOT/.ci/npm
  local lock
  lock=$(sha256sum "$dir/package-lock.json" | cut -d' ' -f1)
  if [[ $(cat "$dir/node_modules/.lock-sum" 2>/dev/null) != "$lock" ]]; then
    (cd "$dir" && npm ci --ignore-scripts --loglevel=error)
    echo "$lock" >"$dir/node_modules/.lock-sum"
  fi
  export PATH=$dir/node_modules/.bin:$PATH
  node --version
}

# How .goreleaser.yaml builds.
RELEASE_FLAGS=(-trimpath -tags=urfave_cli_no_template -ldflags='-s -w')

# bridge_binary: build the binary as it is released and print its path.
bridge_binary() {
  local out=$CI_OUT/bridge
  CGO_ENABLED=0 go build "${RELEASE_FLAGS[@]}" -o "$out" ./cmd/bridge
  echo "$out"
}
