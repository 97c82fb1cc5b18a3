#!/bin/sh
set -eu

# The server may be starting.
timeout 120 sh -c '
  until mariadb --host="$DB_HOST" --user=root --connect-timeout=5 --execute="DO 1" 2> /dev/null; do sleep 1; done
' || {
  echo "root cannot connect to $DB_HOST: check that the server runs, and the password in the Secret mariadb-admin" >&2
  exit 1
}

mariadb --host="$DB_HOST" --user=root <<SQL
DROP DATABASE IF EXISTS \`$DATABASE\`;
DROP USER IF EXISTS '$DB_USER'@'%';
SQL
