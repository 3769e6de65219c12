import { counted } from "./counted.ts";

/** Syncs of all connections. */
export const english = {
  title: "Syncs",
  searchLabel: "Connection id",
  operations: "Operations",
  sync: "Sync",
  integration: "Integration",
  connection: "Connection",
  state: "State",
  states: {
    ok: "scheduled",
    running: "running",
    failing: "failing",
    paused: "paused",
    disabled: "disabled",
  },
  frequency: "Frequency",
  lastSuccess: "Last success",
  nextRun: "Next run",
  late: (span: string) => `due ${span} ago`,
  reason: "Why",
  /** By what holds a sync up; with how many run and may run, or how often a run was begun. */
  delays: {
    no_worker: (_running: string, _limit: string) =>
      "No worker is running: no process that runs functions was seen within a minute.",
    environment_busy: (running: string, limit: string) =>
      `The environment has ${counted(running, "run")} in progress, of ${limit} that it may have at once.`,
    installation_busy: (running: string, limit: string) =>
      `No slot of the workers is free (in use: ${running} of ${limit}).`,
    queued: (_running: string, _limit: string) => "A slot is free: it starts soon.",
    rate_limited: (until: string, _limit: string) =>
      `The provider’s rate limit is used up: it waits until ${until}.`,
    taken_over: (attempts: string, _limit: string) =>
      `Its worker stopped during the run. It was started ${counted(attempts, "time")}.`,
  },
  refused: (count: string) => `${counted(count, "delete")} refused`,
  emptyTitle: "No syncs yet",
  emptyText:
    "A sync copies a provider's records on a schedule. Deploy one, and it runs for each connection of its integration.",
  runs: "Runs",
  runStates: {
    waiting: "waiting",
    running: "running",
    success: "success",
    failed: "failed",
    cancelled: "cancelled",
  },
  runNow: "Run now",
  pause: "Pause",
  start: "Resume",
  cancelRun: "Cancel the run",
  noRuns: "It has not run yet.",
  list: "List",
  latest: "Latest runs",
  matrix: "Matrix",
  views: "View",
  latestRuns: "Last 20 runs, the newest on the right",
  records: "Records",
  lastResult: "Last result",
  resync: "Sync from the start",
  resyncTitle: (name: string) => `Sync ${name} from the start`,
  resyncText: (connection: string) =>
    `For the connection ${connection}: forgets its checkpoint and last run, cancels a run in progress, and reads everything again. Records that the provider no longer has are found.`,
  resyncClears: "Delete its stored records first",
  resyncIn: (environment: string) => `Sync from the start in ${environment}`,
  setFrequency: "Frequency …",
  frequencyHelp:
    "For example “every 2 hours”; at least 30 seconds. It applies to this connection only.",
  frequencyDeployed: "As deployed",
  isDisabled: "The function is disabled: enable it to run its syncs.",
  run: "Run",
  facts: "About",
  failures: "Failures in a row",
  bulkTrigger: "Run now …",
  bulkTriggerTitle: "Run syncs now",
  confirmTrigger: (count: string) => `Run ${counted(count, "sync")} now`,
  bulkPause: "Pause …",
  bulkPauseText:
    "Runs in progress are cancelled. They do not run on schedule until they are resumed.",
  bulkPauseTitle: "Pause syncs",
  confirmPause: (count: string) => `Pause ${counted(count, "sync")}`,
  bulkStart: "Resume …",
  bulkStartTitle: "Resume syncs",
  confirmStart: (count: string) => `Resume ${counted(count, "sync")}`,
};
