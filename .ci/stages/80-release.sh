# a whole release: built twice and compared, installed, started as its users do
goreleaser=$(go_tool goreleaser v2.15.1 github.com/goreleaser/goreleaser/v2)
"$goreleaser" check
need_apt bsdtar libarchive-tools
need_apt nix-hash nix-bin
npm_peers

# What is released is what is committed, so it is built in clones; goreleaser
# also knows the commit only where there is a remote. The second clone has
# another path.
one=$CI_OUT/release/one other=$CI_OUT/release/somewhere/else
rm -rf "$CI_OUT/release"
git clone -q "$CI_ROOT" "$one"
git clone -q "$one" "$other" # of the same commit, whatever is done here meanwhile
for copy in "$one" "$other"; do
  (cd "$copy" && "$goreleaser" release --snapshot --clean >"$copy.log" 2>&1) || { cat "$copy.log"; exit 1; }
done
cd "$one/dist"
ls -sh --si -- *.tar.gz *.zip *.deb *.rpm *.apk *.zst *.mcpb

echo "-- all that there has to be"
has() { local found=("$@"); [[ -s ${found[0]} ]] || { echo "missing: $*"; return 1; }; }
has *_linux_amd64.tar.gz
has *_linux_arm64.tar.gz
has *_macos.tar.gz
has *_windows_amd64.zip
has *_windows_arm64.zip
for format in deb rpm apk pkg.tar.zst; do
  (($(ls -- *."$format" | wc -l) == 2)) || { echo "not two packages for $format"; exit 1; }
done
has homebrew/Casks/mcp-bridge.rb
has scoop/mcp-bridge.json
has aur/mcp-bridge-bin.pkgbuild
has nix/pkgs/mcp-bridge/default.nix
has winget/manifests/*/*/mcp-bridge/*/*.installer.yaml
listing=$(tar -tzf ./*_linux_amd64.tar.gz)
for inside in bridge README.md README.id.md LICENSE CHANGELOG.md completions/bridge.{bash,zsh,fish} man/bridge.1.gz; do
  grep -qx "$inside" <<<"$listing" || { echo "the archive lacks $inside"; exit 1; }
done
sha256sum --quiet --check checksums.txt
for file in *.tar.gz *.zip *.deb *.rpm *.apk *.zst *.mcpb server.json; do
  grep -q " $file\$" checksums.txt || { echo "checksums.txt lacks $file"; exit 1; }
done

echo "-- built again elsewhere: the same"
diff checksums.txt "$other/dist/checksums.txt"
diff -r npm "$other/dist/npm"
# Manifests name the same files, in the order in which their builds ended.
lines_of() { (cd "$1" && find homebrew scoop winget nix aur -type f -exec cat {} + | sort); }
diff <(lines_of .) <(lines_of "$other/dist")

echo "-- /usr/bin/bridge is in the deb and nowhere else"
for package in *.deb *.rpm *.apk *.pkg.tar.zst; do
  files=$(if [[ $package == *.deb ]]; then dpkg-deb --fsys-tarfile "$package"; else cat "$package"; fi | bsdtar -tf - | sed -E 's|^\.?/||')
  grep -qx usr/bin/mcp-bridge <<<"$files" || { echo "$package lacks mcp-bridge"; exit 1; }
  expected=$([[ $package == *.deb ]] && echo 1 || echo 0)
  (($(grep -cx usr/bin/bridge <<<"$files") == expected)) || { echo "$package: usr/bin/bridge"; exit 1; }
done

echo "-- the deb, installed and removed"
if dpkg -s mcp-bridge >/dev/null 2>&1; then echo "mcp-bridge is installed here already: not touching it"; exit 1; fi
dpkg -i ./*_"$(dpkg --print-architecture)".deb >/dev/null
(
  trap 'dpkg -r mcp-bridge >/dev/null' EXIT
  cd /
  [[ $(readlink -f /usr/bin/bridge) == /usr/bin/mcp-bridge ]]
  # Not the test's home: version, help and completion touch nothing there.
  export HOME=/nonexistent
  /usr/bin/bridge version
  version=$(/usr/bin/bridge version --json | sed 's/.*"version":"\([^"]*\)".*/\1/')
  [[ $version == *snapshot* ]] || { echo "the version is $version"; exit 1; }
  bash -c 'source /usr/share/bash-completion/completions/mcp-bridge && complete -p mcp-bridge' >/dev/null
  bash -c 'source /usr/share/bash-completion/completions/bridge && complete -p bridge' >/dev/null
  zgrep -q '^\.SH "EXIT STATUS"' /usr/share/man/man1/mcp-bridge.1.gz
  [[ -e /usr/share/doc/mcp-bridge/copyright ]]
  /usr/bin/mcp-bridge demo --json >/dev/null
)
for gone in /usr/bin/bridge /usr/bin/mcp-bridge /usr/share/man/man1/bridge.1.gz /usr/share/bash-completion/completions/bridge; do
  [[ ! -e $gone ]] || { echo "$gone stayed behind"; exit 1; }
done

echo "-- bundles and npm packages, started the way hosts do"
for bundle in *.mcpb; do
  manifest=$CI_OUT/release/manifest.json
  bsdtar -xOf "$bundle" manifest.json >"$manifest"
  mcpb validate "$manifest" >"$CI_OUT/release/validate.log" 2>&1 || { echo "$bundle"; cat "$CI_OUT/release/validate.log"; exit 1; }
done
(cd "$CI_ROOT" && go run ./internal/release verify -dist "$one/dist")
