/** What the check finds in a statement, by kind. */
export interface Problems {
  /** Forms that Citus refuses, or routes wrongly. */
  readonly traps: readonly string[];
  /** Why it cannot be planned. */
  readonly plans: readonly string[];
  /** The servers that it reaches, where these are several. */
  readonly reach: readonly string[];
  /** Tables of different servers. */
  readonly joins: readonly string[];
}

/** What a statement may do although it is about distributed tables. */
type Allowance =
  /** One or more kinds of problems, by which the check names them. */
  | { readonly may: readonly (keyof Problems)[]; readonly only?: undefined }
  /** Anything, for it is never sent where tables are distributed: the check refuses it on a prepared schema. */
  | { readonly only: "plain" };

export type Allowed = Allowance & {
  /** File and function that send it, as the report names them, or a folder: which of several generators asks for the next rows depends on the moment. */
  readonly from: string;
  /** A part of its text, where the function sends others that may not. */
  readonly has?: string;
  readonly reason: string;
};

const ROUTED =
  "A batch has rows of many environments: each is sent to the server of its own, and Citus commits them in two phases.";
const SWEEP = "Looks at all environments, in the background: each server looks at its own.";

const DAYS =
  "A day is made on all servers, and takes rows along that are in the default partition.";

const ELSEWHERE = {
  only: "plain",
  reason: "A prepared schema (`isPreparedSchema`) gets another statement.",
} as const;

const MODELS =
  "Models lie on several servers: those of a connection or an environment are read, or changed, in parallel.";

export const allowed: readonly Allowed[] = [
  {
    from: "sql-access/views/store.ts listModelNames",
    only: "plain",
    reason: "SQL access is refused where tables are distributed.",
  },
  { from: "logs/store.ts insertOperations", may: ["reach"], reason: ROUTED },
  { from: "logs/store.ts insertMessages", may: ["reach"], reason: ROUTED },
  { from: "logs/store.ts insertCalls", may: ["reach"], reason: ROUTED },
  { from: "logs/store.ts endOperations", may: ["reach"], reason: ROUTED },
  { from: "logs/store.ts upsertNotes", may: ["reach"], reason: ROUTED },
  { from: "logs/ensure-log-partitions.ts ensureLogPartitions", may: ["reach"], reason: DAYS },
  { from: "process/ensure-day-partitions.ts ensureDayPartitions", may: ["reach"], reason: DAYS },
  {
    from: "installation/store.ts isEmptyTable",
    may: ["reach"],
    reason: "An operator asks whether the default partition of a table has a row, on any server.",
  },
  { from: "logs/store.ts expireOpenOperations", may: ["reach"], reason: SWEEP },
  {
    from: "operator/",
    has: "(format binary)",
    may: ["plans"],
    reason: "Copies all rows of each table into a backup or another database. A copy has no plan.",
  },
  {
    from: "operator/move-database.ts moveWhenFree",
    may: ["plans"],
    reason: "Copies through a table of the transaction, which the check does not have.",
  },
  {
    from: "logs/erasure/store.ts deleteLeftMessages",
    may: ["reach"],
    reason: "Removes what is left of environments that were deleted, in the background.",
  },
  { from: "logs/metrics/store.ts addMinutesAndHours", ...ELSEWHERE },
  { from: "records/reading/store.ts listRecordRows", has: "set local", ...ELSEWHERE },
  { from: "webhooks-in/distributed/store.ts insertDistributed", may: ["reach"], reason: ROUTED },
  { from: "webhooks-in/store.ts insertWebhooks", ...ELSEWHERE },
  { from: "webhooks-in/store.ts insertLargeWebhook", ...ELSEWHERE },
  { from: "webhooks-in/store.ts listQueues", ...ELSEWHERE },
  { from: "webhooks-in/store.ts listDue", has: "is true", ...ELSEWHERE },
  { from: "webhooks-in/store.ts claimCompleting", has: "is true", ...ELSEWHERE },
  {
    from: "webhooks-in/storage/store.ts deleteHandledRequests",
    has: "is true",
    ...ELSEWHERE,
  },
  {
    from: "webhooks-in/listing/store.ts listWebhookRows",
    has: "is true",
    ...ELSEWHERE,
  },
  { from: "webhooks-in/backlog/store.ts readInboxBacklog", may: ["reach"], reason: SWEEP },
  { from: "webhooks-out/store.ts findOpenRange", ...ELSEWHERE },
  {
    from: "webhooks-out/sending/store.ts claimDeliveries",
    has: "set_config",
    ...ELSEWHERE,
  },
  {
    from: "webhooks-out/sending/store.ts findNextDue",
    has: "r on true",
    ...ELSEWHERE,
  },
  { from: "webhooks-out/sending/store.ts storeOutcomes", ...ELSEWHERE },
  {
    from: "webhooks-out/sending/store.ts noteFailing",
    has: "where true",
    ...ELSEWHERE,
  },
  {
    from: "webhooks-out/deliveries/store.ts listDeliveryRows",
    has: "where true and d.id",
    ...ELSEWHERE,
  },
  {
    from: "webhooks-out/deliveries/store.ts queueRangeAgain",
    has: "where true and d.id",
    ...ELSEWHERE,
  },
  {
    from: "webhooks-out/store.ts deleteDeliveriesBefore",
    has: "where true and d.",
    ...ELSEWHERE,
  },
  {
    from: "webhooks-out/store.ts deletePayloadsBefore",
    has: "where true and id",
    ...ELSEWHERE,
  },
  {
    from: "webhooks-out/store.ts deleteQueuedBefore",
    has: "where true and d.",
    ...ELSEWHERE,
  },
  {
    from: "webhooks-out/receivers/store.ts openReceiver",
    has: "where true and t.",
    ...ELSEWHERE,
  },
  {
    from: "webhooks-out/receivers/store.ts listReceiverRows",
    has: "where true and t.",
    ...ELSEWHERE,
  },
  {
    from: "webhooks-out/receivers/store.ts listUnusedReceivers",
    has: "where true and t.",
    ...ELSEWHERE,
  },
  {
    from: "webhooks-out/receivers/store.ts deleteUnusedReceivers",
    has: "where true and t.",
    ...ELSEWHERE,
  },
  {
    from: "webhooks-out/erasure/store.ts deleteDeliveriesOf",
    has: "where true and d.",
    ...ELSEWHERE,
  },
  {
    from: "webhooks-out/erasure/store.ts listThatMayName",
    has: "p on true",
    ...ELSEWHERE,
  },
  {
    from: "webhooks-out/erasure/store.ts deleteUnusedPayloads",
    has: "where true and d.",
    ...ELSEWHERE,
  },
  {
    from: "webhooks-out/delete-old-deliveries.ts deleteOldDeliveries",
    has: "offset",
    may: ["reach", "joins"],
    reason:
      "Looks whether rows of a day are needed before it is dropped, on all servers; attempts are compared with deliveries by pairs of environment and id.",
  },
  {
    from: "webhooks-out/delete-old-deliveries.ts deleteOldDeliveries",
    has: "needed_rows",
    may: ["plans"],
    reason:
      "What stays of a day comes from a table of the transaction, which the check does not have.",
  },
  { from: "webhooks-out/backlog/store.ts readDeliveryBacklog", may: ["reach"], reason: SWEEP },
  { from: "vault/rotation/store.ts listSealedRows", may: ["reach"], reason: SWEEP },
  {
    from: "problems/store.ts sweepRows",
    has: "from record_models",
    ...ELSEWHERE,
  },
  { from: "problems/causes/distributed/store.ts readPages", may: ["reach"], reason: SWEEP },
  {
    from: "problems/causes/distributed/store.ts Object.countFailedWebhooks",
    may: ["reach"],
    reason: SWEEP,
  },
  { from: "records/tracking/store.ts listOldTrackings", may: ["reach"], reason: SWEEP },
  {
    from: "records/feed/changed-store.ts listChangedModels",
    has: "left join lateral",
    ...ELSEWHERE,
  },
  {
    from: "records/feed/changed-store.ts listChangedModels",
    has: "select id, connection_uuid",
    may: ["reach"],
    reason: MODELS,
  },
  {
    from: "records/feed/changed-store.ts compareModels",
    has: "left join record_feed_models",
    ...ELSEWHERE,
  },
  {
    from: "records/feed/changed-store.ts compareModels",
    has: "select id, sequence",
    may: ["reach"],
    reason: MODELS,
  },
  { from: "records/models/store.ts listModelRows", may: ["reach"], reason: MODELS },
  { from: "records/retention/store.ts listModelIds", may: ["reach"], reason: MODELS },
  { from: "records/store.ts listCounts", may: ["reach"], reason: MODELS },
  { from: "records/store.ts listRefusals", may: ["reach"], reason: MODELS },
  { from: "records/store.ts removeModels", may: ["reach"], reason: MODELS },
  { from: "records/store.ts removeQuarantines", may: ["reach"], reason: MODELS },
  { from: "records/models/store.ts listQuarantinedModels", may: ["reach"], reason: MODELS },
  { from: "records/quarantine/store.ts listReasons", may: ["reach"], reason: MODELS },
  { from: "records/quarantine/store.ts expireSamples", may: ["reach"], reason: SWEEP },
  { from: "records/quarantine/store.ts listOldReasons", may: ["reach"], reason: SWEEP },
  { from: "records/tracking/store.ts allowRefusedDeletes", may: ["reach"], reason: MODELS },
  { from: "records/tracking/store.ts listSweptModels", may: ["reach"], reason: MODELS },
];
