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

user="u_$SIGNADOT_SANDBOX_ID"
password=$(head -c 24 /dev/urandom | base64 | tr -d '+/=\n')
mariadb --host="$DB_HOST" --user=root <<SQL
SET wait_timeout = 30;
DO GET_LOCK('$user', 600);
CREATE OR REPLACE USER '$user'@'%' IDENTIFIED BY '$password';
SQL

mkdir -p /outputs
printf %s "$user" > /outputs/user
printf %s "$password" > /outputs/password
