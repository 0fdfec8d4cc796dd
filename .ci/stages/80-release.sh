# goreleaser accepts its configuration
[[ -f .goreleaser.yaml ]] || { echo "no .goreleaser.yaml yet"; exit 0; }
goreleaser=$(go_tool goreleaser v2.15.1 github.com/goreleaser/goreleaser/v2)
"$goreleaser" check
