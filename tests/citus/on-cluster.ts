import type { Reporter } from "vitest/node";

const ITS_OWN_PREPARING =
  "prepares its schema itself, and puts locks, views or triggers in the place of tables: Citus refuses these, and has a silent server of its own";
const READS = "counts what PostgreSQL reads of its own tables, which on a cluster the workers do";
const CATALOGUE =
  "changes tables, keys and triggers, or plans statements, as only PostgreSQL alone can";

/** Files that cannot be right on a cluster, and why; `scripts/with-citus.sh` runs none of them. */
export const notOnCluster: Readonly<Record<string, string>> = {
  "tests/citus/away-workers.test.ts":
    "puts postgres_fdw and a catalogue of its own in the place of Citus",
  "tests/citus/catalogue.test.ts": CATALOGUE,
  "tests/citus/cluster-start.test.ts": "puts a catalogue of its own in the place of Citus",
  "tests/citus/later-migrations.test.ts": CATALOGUE,
  "tests/citus/prepared-deliveries.test.ts": ITS_OWN_PREPARING,
  "tests/citus/prepared-inbox.test.ts": ITS_OWN_PREPARING,
  "tests/citus/prepared-records.test.ts": ITS_OWN_PREPARING,
  "tests/citus/shadow.test.ts": CATALOGUE,
  "tests/citus/silent-deliveries.test.ts": ITS_OWN_PREPARING,
  "tests/citus/silent-models.test.ts": ITS_OWN_PREPARING,
  "tests/citus/silent-workers.test.ts": ITS_OWN_PREPARING,
  "tests/citus/two-phase-without.test.ts": "puts dblink and triggers in the place of Citus",
  "packages/server/src/foundation/db/guard/two-phase.test.ts":
    "puts a trigger on the table of the guard",
  "packages/server/src/foundation/db/migrations/sibling-indexes.test.ts": CATALOGUE,
  "packages/server/src/records/counting/bytes.test.ts": READS,
  "packages/server/src/records/plans.test.ts": READS,
  "packages/server/src/webhooks-in/listing/of-connection.test.ts": READS,
  "packages/server/src/webhooks-out/deliveries/search.test.ts": READS,
  "packages/server/src/webhooks-out/delivery-days.test.ts": READS,
};

/** Says at the end of a run on a cluster what was left out. */
export function listNotOnCluster(): Reporter {
  return {
    onTestRunEnd() {
      const lines = Object.entries(notOnCluster).map(([file, reason]) => `  ${file}: ${reason}`);
      process.stdout.write(`\nNot on a cluster (${lines.length}):\n${lines.join("\n")}\n`);
    },
  };
}
