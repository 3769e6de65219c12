import { join } from "node:path";
import { defaultExclude, defineConfig } from "vitest/config";
import { searchForSecrets } from "./tests/canary/search-run.ts";
import { holdStatements } from "./tests/citus/hold-statements.ts";
import { listNotOnCluster, notOnCluster } from "./tests/citus/on-cluster.ts";
import { countTests, inTurn, listTestsNotRun } from "./tests/require-tool.ts";

// Test files and the servers that they start load what others have stripped of its types and compiled.
// biome-ignore lint/style/noProcessEnv: Node reads it in every process that inherits it
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/compiled");

// biome-ignore lint/style/noProcessEnv: which schema the databases of a run have, for tests only
const { TEST_SCHEMA, TEST_DATABASE_MAKE } = process.env;
const isCluster = TEST_DATABASE_MAKE !== undefined;
const schema: "plain" | "prepared" = TEST_SCHEMA === "prepared" || isCluster ? "prepared" : "plain";
const leftOut = isCluster ? Object.keys(notOnCluster) : [];

/** How every test file runs. */
export const common = {
  provide: { schema },
  setupFiles: [
    "./tests/canary/watch-tests.ts",
    "./tests/citus/record-statements.ts",
    "./tests/refuse-own-kill.ts",
  ],
  // Node runs the source itself, as it does in a server; workspace packages by "exports" of their package.json.
  // Vitest's loader mocks modules, which no test does, and keeps Node from using its cache of compiled modules.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // With more room for young objects their collector, an eighth of all CPU time, comes less often.
  execArgv: [
    "--conditions=jackfield-source",
    "--min-semi-space-size=16",
    "--max-semi-space-size=64",
  ],
  pool: "forks" as const,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // No test is about time: a busy machine may take long.
  expect: { poll: { timeout: 15_000 } },
};

/** Tests that measure their own process, compile in it, or are about what is kept for a whole process. */
export const alone = [
  "packages/runner/src/**/*.test.ts",
  "packages/functions/src/{compile,test-kit}/**/*.test.ts",
  "packages/functions/src/runtime/records/sample-fields.test.ts",
  "packages/contract/src/runtime/frames.test.ts",
  "packages/catalogue/src/{patterns/pattern,reading/entry-limits}.test.ts",
  "packages/server/src/foundation/{embedded-postgres,sandbox,telemetry}/**/*.test.ts",
  "packages/server/src/foundation/loop-watch.test.ts",
  "packages/server/src/agents/{provenance/provenance,openapi/strange-documents}.test.ts",
  "packages/server/src/functions/run/run-secrets.test.ts",
  "packages/server/src/logs/redact.test.ts",
  "packages/server/src/revocations/many.test.ts",
  "packages/server/src/webhooks-in/{hostile-webhooks,hostile-bodies}.test.ts",
  "packages/server/src/providers/hostile-entries.test.ts",
  "tests/agents/upstream/hostile.test.ts",
  "tests/api/{cost,fuzz}.test.ts",
  "tests/boundaries.test.ts",
  "tests/functions/{deployments,dry-runs,other-command-line,runtime-cost}.test.ts",
  "tests/observability/{metrics,off,without-database}.test.ts",
  "tests/openapi/{hostile,tools}.test.ts",
  "tests/sandbox/*.test.ts",
  "tests/webhooks-in/many-silent.test.ts",
];

/** Tests that also run on the schema that `deploy/citus/prepare.sql` makes: the core of each slice that is distributed. */
const distributed = [
  "logs/logs",
  "foundation/db/migrations/sibling-indexes",
  "records/{keeping,plans,records}",
  "records/counting/bytes",
  "records/feed/feed-notes",
  "records/quarantine/{expiry,list-quarantine}",
  "webhooks-in/receive",
  "webhooks-in/listing/of-connection",
  "webhooks-in/replay/replay-webhooks",
  "webhooks-in/storage/inbox-storage",
  "webhooks-out/{deliveries,delivery-days,receivers,replays,webhooks-out}",
  "webhooks-out/deliveries/search",
  "webhooks-out/erasure/erase-deliveries",
].map((name) => `packages/server/src/${name}.test.ts`);

const onPreparedSchema = {
  test: {
    ...common,
    name: "prepared",
    include: distributed,
    isolate: false,
    provide: { schema: "prepared" as const },
  },
};

/** What `scripts/with-citus.sh` runs unless files are named: what is right on a cluster. */
const onCluster = {
  test: {
    ...common,
    name: "cluster",
    include: [...distributed, "tests/citus/two-phase.test.ts"],
    exclude: [...defaultExclude, ...leftOut],
    isolate: false,
  },
};

/** What surrounds a run: its database server, and what it reports at the end. */
export const wholeRun = {
  globalSetup: [
    "./tests/canary/keep-run.ts",
    "./tests/database-server.ts",
    "./tests/launcher/bundle-for-run.ts",
  ],
  reporters: [
    "default",
    inTurn(
      listTestsNotRun(),
      ...(isCluster ? [listNotOnCluster()] : []),
      searchForSecrets(),
      holdStatements(),
      countTests(),
    ),
  ],
};

export default defineConfig({
  test: {
    ...wholeRun,
    // One more than the cores of a small machine: many tests wait for another process.
    maxWorkers: 3,
    projects: [
      // A process for each file. These come first.
      {
        test: {
          ...common,
          name: "alone",
          include: alone,
          exclude: [...defaultExclude, ...leftOut],
        },
      },
      // Files share a process, which loads the server once. Each still has databases of its own.
      {
        test: {
          ...common,
          name: "shared",
          include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
          exclude: [...defaultExclude, ...alone, ...leftOut],
          isolate: false,
        },
      },
      ...(schema === "plain" ? [onPreparedSchema] : []),
      ...(isCluster ? [onCluster] : []),
    ],
  },
});
