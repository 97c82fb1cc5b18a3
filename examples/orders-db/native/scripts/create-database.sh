#!/bin/sh
# A step may run more than once, so everything here can be repeated. The server completes the statement of a client that was
# killed: the lock makes the next run, and drop, wait until it has. wait_timeout ends the session of a node that has failed.
set -eu

export DB_HOST="${DB_HOST:-mariadb.databases.svc}"

# The server may be starting.
timeout 120 sh -c '
  until mariadb --host="$DB_HOST" --user=root --connect-timeout=5 --execute="DO 1" 2> /dev/null; do sleep 1; done
' || {
  echo "root cannot connect to $DB_HOST: check that the server runs, and the password in the Secret mariadb-admin" >&2
  exit 1
}

name="orders_$SIGNADOT_SANDBOX_ID"
mariadb --host="$DB_HOST" --user=root <<SQL
SET wait_timeout = 30;
DO GET_LOCK('$name', 600);
CREATE DATABASE IF NOT EXISTS \`$name\` CHARACTER SET '${CHARSET:-utf8mb4}';
SQL

mkdir -p /outputs
printf %s "$name" > /outputs/name
