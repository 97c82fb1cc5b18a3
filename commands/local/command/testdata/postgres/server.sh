#!/bin/sh
# A PostgreSQL server on this machine, on the port $FIXTURE_PORT. The first one keeps its initial data in the folder $INITIAL
# for the others. It refuses to run as root, so that nobody runs it then, in a folder that nobody can reach.
set -eu
bin=$(pg_config --bindir)
folder=$PWD
as=
if [ "$(id -u)" = 0 ]; then
  folder=$(mktemp -d)
  chown nobody "$folder"
  as="setpriv --reuid=nobody --clear-groups"
fi
cd "$folder"
if [ -d "$INITIAL" ]; then
  cp -a "$INITIAL" data
else
  printf '%s\n' "$POSTGRES_PASSWORD" > password
  $as "$bin/initdb" --pgdata=data --username=postgres --pwfile=password --auth=scram-sha-256 --no-sync
  cp -a data "$INITIAL"
fi
$as "$bin/postgres" -D data -p "$FIXTURE_PORT" -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off &
server=$!
trap 'kill -INT "$server"' TERM
wait "$server" || true # ends with the signal
wait "$server" || true
[ "$folder" = "$OLDPWD" ] || rm -rf "$folder"
