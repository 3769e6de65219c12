import { expect, test } from "vitest";
import { slices } from "../../packages/server/src/app.ts";
import { allOf } from "../../packages/server/src/slice/index.ts";

// Promise U11: what a server of a cluster that says nothing holds up. Work that is declared and not listed here has no bound:
// `docs/scale.md` says which there are.

/** Of each environment within its answer (`askEach`, `withinAnswer`, `passingOver`, `withTimeout`). */
const byEnvironment = {
  due: ["audit-head", "inbox", "inbox.silence", "problems.sweep", "webhook-deliveries"],
  daily: ["deleteOldDeliveries", "deleteOldWebhooks", "eraseEnvironments", "removeUnusedReceivers"],
};

/** Only tables of the first server: what is found is done by a task of its own, which fails alone. */
const onFirstServer = {
  due: [
    "agents.upstream-lists",
    "audit-sealing",
    "canaries",
    "idle-refresh",
    "records.destinations",
    "revocations",
    "sql-access.follow",
    "sql-access.guard",
    "syncs",
    "syncs.sweep",
  ],
};

test("each due work says what a silent server holds up", () => {
  const declared = allOf(slices, "due").map((make) => make().name);

  expect(declared.toSorted()).toEqual([...byEnvironment.due, ...onFirstServer.due].toSorted());
});

/** About all servers, or the first one: each statement has 5 minutes, after which the chore fails until the next day. */
const wholeChores = [
  ...["countBytes", "deleteExpiredAnswers", "deleteExpiredOfFunctions", "deleteExpiredResults"],
  ...["deleteIdleRecords", "deleteOldAgentRows", "deleteOldConsumers", "deleteOldEgress"],
  ...[
    "deleteOldFiles",
    "deleteOldFindings",
    "deleteOldJobs",
    "deleteOldOutages",
    "deleteOldQuestions",
  ],
  ...["deleteOldReads", "deleteOldRejections", "deleteOldResults", "deleteOldRunCounts"],
  ...["deleteOldSessions", "deleteOldSignIns", "deleteOldStageCounts", "deleteOldStepCounts"],
  ...["deleteOldTapes", "deleteOldUses", "dropOldCounts", "dropOldPartitions"],
  ...["dropOldRecordCounts", "emptyDeletedConnections", "ensureLogPartitions", "expireDrift"],
  ...["expireOldTrackings", "expireOperations", "expireQuarantine", "expireVersions"],
  ...["forgetOldProblems", "forgetOldReconciled", "forgetOldRuns", "joinOldFeedEntries"],
  ...["keepJobs", "keepRevocations", "pruneEvents", "pruneFunctionVersions", "pruneOldRecords"],
  ...["removeDeletedConnections", "removeDeletedFunctions", "removeDeletedIntegrations"],
  ...["removeDeletedKeys", "resumeAccountErasures", "resumeErasures", "suspendWhileOff"],
  ...["sweepRefreshSpool", "sweepRevocations"],
];

test("each daily chore says what a silent server holds up", () => {
  const declared = allOf(slices, "daily").map(({ name }) => name);

  expect(declared.toSorted()).toEqual([...byEnvironment.daily, ...wholeChores].toSorted());
});
