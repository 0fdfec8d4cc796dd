# bridge.exe and the packages nearest to the system, on Windows as Wine knows it
wine=/usr/lib/wine/wine64
need_apt "$wine" wine64
need_apt x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64-win32
"$wine" --version

# A Windows of its own, in memory where there is room: a prefix is 700 MB of
# small files, and the tests sync what they write.
room=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)
where=${TMPDIR:-/tmp}
((${room:-0} < 2097152)) || where=/dev/shm
work=$(mktemp -d "$where/wine.XXXXXX")
export WINEPREFIX=$work/prefix WINEDEBUG=-all DISPLAY=
export WINEDLLOVERRIDES='mscoree,mshtml=;bcryptprimitives=n,b'
trap 'timeout 20 /usr/lib/wine/wineserver -k || true; rm -rf "$work"' EXIT
mkdir "$WINEPREFIX"
timeout --kill-after=10 180 "$wine" wineboot --init >"$CI_OUT/wine.log" 2>&1 </dev/null || { cat "$CI_OUT/wine.log"; exit 1; }
x86_64-w64-mingw32-gcc -O2 -shared -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" .ci/wine/prng.c -ladvapi32

echo "-- bridge.exe, as it is released"
exe="$WINEPREFIX/drive_c/Program Files/bridge/bridge.exe"
GOOS=windows GOARCH=amd64 go build "${RELEASE_FLAGS[@]}" -o "$exe" ./cmd/bridge
# The sandbox is tried with a go-sqlite3 that does not look for placeholders for
# memory, as on Windows before 1803: Wine 8 has half of them.
sqlite=$(go list -m -f '{{.Dir}}' github.com/ncruces/go-sqlite3)
cp -r --no-preserve=mode "$sqlite" "$work/sqlite"
cp go.mod go.sum "$work/"
go mod edit -replace "github.com/ncruces/go-sqlite3=$work/sqlite" "$work/go.mod"
sys=internal/sqlite3_wrap/sys_windows.go
sed -i 's/return procVirtualAlloc2.Find()/return false \&\& procVirtualAlloc2.Find()/' "$work/sqlite/$sys"
! cmp -s "$sqlite/$sys" "$work/sqlite/$sys" || { echo "$sys of go-sqlite3 has changed: this stage has to follow"; exit 1; }
GOOS=windows GOARCH=amd64 go build -modfile "$work/go.mod" -trimpath -o "$WINEPREFIX/drive_c/sandbox.exe" ./cmd/bridge
timeout --kill-after=10 300 env BRIDGE_WINE="$wine" BRIDGE_WINE_SANDBOX='C:\sandbox.exe' \
  go test -tags wine -run '^TestWine' -count=1 -v ./cmd/bridge

echo "-- packages: files, locks, configuration, Credential Manager"
# Wine 8 has not implemented one way to delete a file, and has another answer
# for that than Windows versions without it: package os is told of it, for
# these tests alone, whose folders os.RemoveAll tidies away.
at=$(go env GOROOT)/src/internal/syscall/windows/at_windows.go
sed 's/case STATUS_INVALID_INFO_CLASS,/case NTStatus(0xC0000002), STATUS_INVALID_INFO_CLASS,/' "$at" >"$work/at_windows.go"
! cmp -s "$at" "$work/at_windows.go" || { echo "$at has changed: this stage has to follow"; exit 1; }
printf '{"Replace": {"%s": "%s"}}\n' "$at" "$work/at_windows.go" >"$work/overlay.json"

export GOOS=windows GOARCH=amd64
go vet -tags credentialmanager ./keystore
# Wine's Credential Manager is its registry: names have at most 255 characters
# there, and one is written in several steps, which a reader may see and a kill
# may cut short. So the longest name, concurrent writers and kills are left to
# the other keychains.
go test -overlay "$work/overlay.json" -exec "timeout --kill-after=10 200 $wine" -tags credentialmanager -count=1 -timeout 200s \
  -skip '^TestCredentialManager$/^(names|concurrent_writers|killed_in_the_middle_of_a_write)$' \
  ./internal/fsx ./internal/servers ./keystore
