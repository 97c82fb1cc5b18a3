#!/bin/sh
# A KRM function in shell that calls a correct one, with a fault. Usage: faulty.sh FAULT PROGRAM ARGS…
fault=$1
shift
case $fault in
network) # needs an interface other than the loopback
  [ "$(ls /sys/class/net /proc/self/ns/net 2>/dev/null | grep -cv '^lo$')" -gt 0 ] &&
    tail -n +3 /proc/net/dev | grep -qv '^ *lo:' || { echo "no network" >&2; exit 2; } ;;
read-only) # keeps its input in a temporary file
  file=$(mktemp) || exit 2
  rm -f "$file" ;;
nobody)
  [ "$(id -un)" != nobody ] || { echo "must be root" >&2; exit 2; } ;;
environment)
  [ -n "$HOME" ] || { echo "HOME is not set" >&2; exit 2; } ;;
files) # writes a cache into an empty folder, so that this test leaves none in the checkout
  [ -n "$(ls -A)" ] || echo cached > cache ;;
signal)
  "$@" > /dev/null 2>&1 < /dev/null
  kill -SEGV $$ ;;
esac
exec "$@"
