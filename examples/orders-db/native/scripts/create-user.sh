#!/bin/sh
set -eu

user="u_$SIGNADOT_SANDBOX_ID"
password=$(head -c 24 /dev/urandom | base64 | tr -d '+/=\n')
mariadb --host="$DB_HOST" --user=root <<SQL
CREATE OR REPLACE USER '$user'@'%' IDENTIFIED BY '$password';
SQL

mkdir -p /outputs
printf %s "$user" > /outputs/user
printf %s "$password" > /outputs/password
