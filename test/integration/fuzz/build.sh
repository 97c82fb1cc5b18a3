#!/bin/bash -eu
# Builds all fuzz targets for OSS-Fuzz (https://google.github.io/oss-fuzz/getting-started/new-project-guide/go-lang/). It
# runs in the image gcr.io/oss-fuzz-base/base-builder-go, in a clone of this repository.
# Each program gets a seed corpus: the inputs of its target in testdata/fuzz and, since all targets read text, the examples.
# With LIST=1, it prints the targets: package, function and name of the program.
cd "$(dirname "$0")/../../.."

targets() {
  git ls-files '*_test.go' | while read -r file; do
    sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file" | while read -r target; do
      folder=$(dirname "$file")
      echo "$folder $target $(tr -c 'a-zA-Z0-9\n' '_' <<< "${folder}_$target")"
    done
  done
}

# seeds writes the seed corpus of a program. An input that go test keeps as text of Go becomes its bytes.
seeds() {
  python3 test/integration/fuzz/seeds.py "$OUT/$3_seed_corpus.zip" "$1/testdata/fuzz/$2" examples
}

if [ -n "${LIST:-}" ]; then
  targets
  exit
fi
targets | while read -r folder target program; do
  (cd "$folder" && compile_native_go_fuzzer_v2 "$(go list .)" "$target" "$program")
  seeds "$folder" "$target" "$program"
done
