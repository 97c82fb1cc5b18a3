#!/bin/sh
set -eu

mariadb --host="$DB_HOST" --user=root <<SQL
GRANT ALL ON \`$DATABASE\`.* TO '$DB_USER'@'%';
SQL

mkdir -p /outputs
printf 'mysql://%s:%s@%s/%s' "$DB_USER" "$(cat /inputs/password)" "$DB_HOST" "$DATABASE" > /outputs/url
