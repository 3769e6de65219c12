import { counted } from "../counted.ts";

/** The page of `jackfield dev --ui`. */
const english = {
  title: "Local development",
  loading: "Waiting for jackfield dev …",
  lost: "jackfield dev does not answer. It has ended, or starts again.",
  refused: "This address is of an earlier start. Open the one that jackfield dev shows now.",
  activities: { compiling: "compiling", running: "running", waiting: "waits for changes" },
  functions: "Functions",
  noFunction: "Choose a function. It then runs again each time you save one of its files.",
  noFunctionTitle: "Nothing runs yet",
  faults: (count: number) => `${counted(count, "error")} in the project`,
  open: "Open in VS Code",
  connection: "Connection",
  connectionHelp: "Empty: the only one of the integration.",
  starts: "Starts",
  schedule: "as on its schedule",
  webhook: "with a webhook",
  webhookRun: "webhook",
  webhookBody: "Body of the webhook",
  dryRunHelp:
    "Calls to the provider are real, with the connection’s credentials. The server stores nothing.",
  run: "Run",
  stop: "Stop",
  notStarted: "It did not run",
  runs: "Runs",
  noRuns: "It has not run yet.",
  runTitle: (id: string) => `Run ${id}`,
  took: (span: string) => `took ${span}`,
  sinceSave: (span: string) => `${span} after the save`,
  result: "Result",
  counts: (model: string, saved: number, updated: number, deleted: number) =>
    `${model}: ${saved} saved, ${updated} updated, ${deleted} deleted`,
  noResult: "It returned nothing and saved nothing.",
  changes: "What differs from the run before",
  keptChanges: "What differs from the recording",
  noRunBefore: "There is no run before this one.",
  timeline: "Timeline",
  timelineText: (calls: number, saves: number, span: string) =>
    `${counted(calls, "call")} and ${counted(saves, "batch", "batches")} of records in ${span}`,
  didNothing: "It called, saved and logged nothing.",
  after: (span: string) => `+${span}`,
  change: {
    saved: (model: string, count: number) => `${model}: ${count} saved`,
    updated: (model: string, count: number) => `${model}: ${count} updated`,
    deleted: (model: string, count: number) => `${model}: ${count} deleted`,
  },
  logged: (level: string, message: string) => `${level}: ${message}`,
  show: (call: string) => `Show ${call}`,
  asked: "Asked",
  answered: "Answered",
  log: (count: number) => `Log (${count})`,
  noLog: "It logged nothing.",
  cut: (shown: number) => `The page shows ${shown} of them.`,
  upstream: "What the provider answered",
  save: "Keep as a test",
  saved: (file: string) => `Kept in ${file}; jackfield test repeats it without a network.`,
  keys: "r runs it again, [ and ] go through the runs.",
};

/** Loaded with the page that shows them. */
export const devTexts = { english };
