# everything builds for each platform; the binary's size is shown
while IFS=/ read -r os arch; do
  # As in a release, so that both share what is compiled.
  export CGO_ENABLED=0 GOOS=$os GOARCH=$arch
  go build -trimpath -tags=urfave_cli_no_template ./...
  out=$CI_OUT/cross/bridge-$os-$arch
  go build "${RELEASE_FLAGS[@]}" -o "$out" ./cmd/bridge
  printf '%-14s %5.1f MB\n' "$os/$arch" "$(stat -c %s "$out" | awk '{print $1/1e6}')"
done < <(platforms)

# One look-up of a method by its name, and the linker has to keep every method of
# every type: 5 MB and a fifteenth of a start. docs/adr/0004
export GOOS=linux GOARCH=amd64
deps=$CI_OUT/cross/deps.txt
go build "${RELEASE_FLAGS[@]}" -ldflags=-dumpdep -o "$CI_OUT/cross/deps" ./cmd/bridge 2>"$deps"
if grep '<ReflectMethod>' "$deps"; then
  echo "these look methods up by name" >&2
  exit 1
fi
rm "$deps" "$CI_OUT/cross/deps"
