#!/bin/sh
set -eu

mariadb --host="$DB_HOST" --user=root <<SQL
DROP DATABASE IF EXISTS \`$DATABASE\`;
DROP USER IF EXISTS '$DB_USER'@'%';
SQL
