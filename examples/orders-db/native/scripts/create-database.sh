#!/bin/sh
# A step may run more than once, so everything here can be repeated.
set -eu

name="orders_$SIGNADOT_SANDBOX_ID"
mariadb --host="$DB_HOST" --user=root <<SQL
CREATE DATABASE IF NOT EXISTS \`$name\` CHARACTER SET '${CHARSET:-utf8mb4}';
SQL

mkdir -p /outputs
printf %s "$name" > /outputs/name
