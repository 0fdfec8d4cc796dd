# everything builds for each platform; the binary's size is shown
while IFS=/ read -r os arch; do
  # As in a release, so that both share what is compiled.
  export CGO_ENABLED=0 GOOS=$os GOARCH=$arch
  go build -trimpath ./...
  out=$CI_OUT/cross/bridge-$os-$arch
  go build -trimpath -ldflags='-s -w' -o "$out" ./cmd/bridge
  printf '%-14s %5.1f MB\n' "$os/$arch" "$(stat -c %s "$out" | awk '{print $1/1e6}')"
done < <(platforms)
