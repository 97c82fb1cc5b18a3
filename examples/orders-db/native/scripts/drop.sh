#!/bin/sh
set -eu

export DB_HOST="${DB_HOST:-mariadb.databases.svc}"

# The server may be starting.
timeout 120 sh -c '
  until mariadb --host="$DB_HOST" --user=root --connect-timeout=5 --execute="DO 1" 2> /dev/null; do sleep 1; done
' || {
  echo "root cannot connect to $DB_HOST: check that the server runs, and the password in the Secret mariadb-admin" >&2
  exit 1
}

# The names are derived as in the create phase, not read: a step may have been killed before it published one.
name="orders_$SIGNADOT_SANDBOX_ID"
user="u_$SIGNADOT_SANDBOX_ID"
mariadb --host="$DB_HOST" --user=root <<SQL
SET wait_timeout = 30;
DO GET_LOCK('$name', 600), GET_LOCK('$user', 600);
DROP DATABASE IF EXISTS \`$name\`;
DROP USER IF EXISTS '$user'@'%';
SQL
