# every fuzz target for 10 seconds on top of its committed seeds
seconds=${FUZZ_SECONDS:-10}
count=0
while read -r dir; do
  while read -r target; do
    [[ $target == Fuzz* ]] || continue
    count=$((count + 1))
    log=$CI_OUT/fuzz-$target.log
    if ! go test -run '^$' -fuzz "^$target\$" -fuzztime "${seconds}s" "./$dir" >"$log" 2>&1; then
      # On a busy machine the fuzzing engine itself may report its own deadline as
      # a failure, with no input to show for it. That, and nothing else, is run again.
      if grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input' "$log"; then
        go test -run '^$' -fuzz "^$target\$" -fuzztime "${seconds}s" "./$dir" >"$log" 2>&1 || { cat "$log"; exit 1; }
      else
        cat "$log"
        exit 1
      fi
    fi
    printf '%-28s %s\n' "$target" "$(grep -E '^fuzz: elapsed' "$log" | tail -n 1)"
  done < <(go test -list '^Fuzz' "./$dir")
done < <(git ls-files '*_test.go' | xargs -r grep -l '^func Fuzz' | xargs -r -n1 dirname | sort -u)
echo "$count fuzz targets"
