# the binary against a floor measured in the same run
bridge=$(bridge_binary)
go run ./internal/perf -bridge "$bridge" -gate
