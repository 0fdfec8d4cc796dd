# the race detector, where goroutines meet
need_apt gcc gcc libc6-dev
packages=()
for dir in bridge keystore internal/auth internal/cards internal/guard; do
  compgen -G "$dir/*_test.go" >/dev/null && packages+=("./$dir/...")
done
((${#packages[@]})) || { echo "nothing to race yet"; exit 0; }
# -short leaves the same tests with fewer rounds: the detector costs ten times.
CGO_ENABLED=1 go test -race -short -timeout 20m "${packages[@]}"
