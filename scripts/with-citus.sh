#!/usr/bin/env bash
# Runs test files on a Citus cluster of yours: each gets a database of its own on every node, prepared and distributed as
# deploy/citus/ does it.
#
#   COORDINATOR=postgres://postgres@coordinator:5432/postgres \
#   WORKERS="postgres://postgres@worker-1:5432/postgres postgres://postgres@worker-2:5432/postgres" \
#     scripts/with-citus.sh [test file …]
#
# Without a name: the core tests of logs, records and webhooks, and of the guard (tests/citus/two-phase.test.ts). Files that
# cannot be right on a cluster are left out, also where they are named: the end of the run says why (tests/citus/on-cluster.ts).
#
# Nodes must reach each other by the hosts of these addresses, without a password (.pgpass or trust), and the users must be
# allowed to create databases and extensions. Needs psql. Databases of a run are named jackfield_test_…; those on the
# workers are left, and dropped by `scripts/with-citus.sh clean`.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
: "${COORDINATOR:?is the address of the coordinator}" "${WORKERS:?are the addresses of the workers, apart by spaces}"

of_database() { sed -E "s#^([a-z]+://[^/]+)/[^?]*#\1/$2#" <<< "$1"; }
host_of() { sed -E 's#^[a-z]+://([^@/]*@)?([^:/]+).*#\2#' <<< "$1"; }
port_of() { sed -nE 's#^[a-z]+://([^@/]*@)?[^:/]+:([0-9]+).*#\2#p' <<< "$1"; }
sql() { psql -X -q -v ON_ERROR_STOP=1 "$@"; }

make_database() {
  local name=$1 url node
  for node in $COORDINATOR $WORKERS; do
    sql "$node" -c "create database $name"
    sql "$(of_database "$node" "$name")" -c "create extension citus"
  done
  url=$(of_database "$COORDINATOR" "$name")
  sql "$url" -c "select citus_set_coordinator_host('$(host_of "$COORDINATOR")', $(port_of "$COORDINATOR"))"
  for node in $WORKERS; do
    sql "$url" -c "select citus_add_node('$(host_of "$node")', $(port_of "$node"))"
  done
  (cd "$root" && SVC_DATABASE_URL=$url node --conditions=jackfield-source packages/cli/bin/jackfield.js migrate)
  sql "$url" -f "$root/deploy/citus/prepare.sql" -f "$root/deploy/citus/distribute.sql"
}

case ${1:-} in
  make) make_database "$2" ;;
  clean)
    for node in $COORDINATOR $WORKERS; do
      psql -X -At "$node" -c "select datname from pg_database where datname like 'jackfield\\_test\\_%'" |
        while read -r name; do sql "$node" -c "drop database if exists $name with (force)"; done
    done
    ;;
  *)
    cd "$root"
    export TEST_DATABASE_URL=$COORDINATOR TEST_DATABASE_MAKE=$root/scripts/with-citus.sh
    if [ $# -eq 0 ]; then set -- --project cluster; else set -- --project alone --project shared "$@"; fi
    exec node_modules/.bin/vitest run "$@"
    ;;
esac
