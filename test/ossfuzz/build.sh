#!/bin/bash -eu
# Builds all fuzz targets for OSS-Fuzz (https://google.github.io/oss-fuzz/getting-started/new-project-guide/go-lang/). It
# runs in the image gcr.io/oss-fuzz-base/base-builder-go, in a clone of this repository.
# With LIST=1, it prints the targets: package, function and name of the program.
cd "$(dirname "$0")/../.."

targets() {
  git ls-files '*_test.go' | while read -r file; do
    sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file" | while read -r target; do
      folder=$(dirname "$file")
      echo "$folder $target $(tr -c 'a-zA-Z0-9\n' '_' <<< "${folder}_$target")"
    done
  done
}

if [ -n "${LIST:-}" ]; then
  targets
  exit
fi
targets | while read -r folder target program; do
  (cd "$folder" && compile_native_go_fuzzer_v2 "$(go list .)" "$target" "$program")
done
