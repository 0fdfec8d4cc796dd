# go.mod and go.sum say exactly what is used
go mod tidy -diff
go mod verify
