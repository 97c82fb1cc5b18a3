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

mariadb --host="$DB_HOST" --user=root <<SQL
GRANT ALL ON \`$DATABASE\`.* TO '$DB_USER'@'%';
SQL

mkdir -p /outputs
printf 'mysql://%s:%s@%s/%s' "$DB_USER" "$(cat /inputs/password)" "$DB_HOST${MYSQL_TCP_PORT:+:$MYSQL_TCP_PORT}" "$DATABASE" \
  > /outputs/url
