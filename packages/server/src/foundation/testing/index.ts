// Owns what tests of slices share: a database of their own, keys, a clock that they move, a context.

export { countReads, listScanned } from "./count-reads.ts";
export { costOf, cpuMsOf, spendCpu } from "./cpu-time.ts";
export { dumpDatabase } from "./dump-database.ts";
export { createEmptyDatabase } from "./empty-database.ts";
export { ManualClock } from "./manual-clock.ts";
export { readUpdates, waitForSnapshots } from "./read-updates.ts";
export { recordSpans } from "./record-spans.ts";
export { createTestContext, type TestContext, type TestContextOptions } from "./test-context.ts";
export {
  copyDatabase,
  createServerDatabase,
  createTestDatabase,
  isClusterRun,
  isPreparedRun,
} from "./test-database.ts";
export { testKeys } from "./test-keys.ts";
