#!/bin/sh
# A MariaDB server on this machine, on the port $FIXTURE_PORT. The first one keeps its initial data in the folder $INITIAL for
# the others.
set -eu
user=$(id -un)
if [ -d "$INITIAL" ]; then
  cp -a "$INITIAL" data
else
  mariadb-install-db --no-defaults --datadir="$PWD/data" --user="$user" --auth-root-authentication-method=normal --skip-test-db
  cp -a data "$INITIAL"
fi
cat > init.sql <<SQL
DROP USER root@127.0.0.1;
CREATE USER root@'%' IDENTIFIED BY '$MARIADB_ROOT_PASSWORD';
GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;
SQL
exec mariadbd --no-defaults --datadir="$PWD/data" --user="$user" --port="$FIXTURE_PORT" --bind-address=127.0.0.1 \
  --skip-name-resolve --socket=socket --pid-file=pid --init-file="$PWD/init.sql"
