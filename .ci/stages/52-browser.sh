# the whole sign-in in a real browser, against the sandbox
need_apt chromium chromium
go test -tags browser -count=1 -timeout 5m -run 'Chromium$' ./cmd/bridge
