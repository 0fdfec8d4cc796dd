# the race detector, where goroutines meet
need_apt gcc gcc libc6-dev
packages=()
for dir in bridge keystore internal/auth internal/cards internal/guard internal/session; do
  compgen -G "$dir/*_test.go" >/dev/null && packages+=("./$dir/...")
done
((${#packages[@]})) || { echo "nothing to race yet"; exit 0; }
# -short leaves the same tests with fewer rounds: the detector costs ten times.
CGO_ENABLED=1 go test -race -short -timeout 20m "${packages[@]}"
# Of the flashcards' service only what goes on at once: the rest is SQLite in Go, which the detector slows down most.
CGO_ENABLED=1 go test -race -short -timeout 10m -run 'Client|Load|Connection|Warm|SameReview|Follow|Large' ./internal/sandbox/nibomo/...
