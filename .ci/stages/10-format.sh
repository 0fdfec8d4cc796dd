# gofmt has nothing to change
unformatted=$(git ls-files -z '*.go' | xargs -0 -r gofmt -l)
if [[ -n $unformatted ]]; then
  printf 'gofmt would change:\n%s\n' "$unformatted"
  exit 1
fi
