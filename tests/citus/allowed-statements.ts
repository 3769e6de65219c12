/** A statement that may reach several servers. */
export interface Allowed {
  /** File and function that send it, as the report names them. */
  readonly from: string;
  /** A part of its text, where the function sends others that may not. */
  readonly has?: string;
  readonly reason: string;
  /** It may also join tables of different servers. */
  readonly joins?: true;
}

const ROUTED =
  "A batch has rows of many environments: each is sent to the server of its own, and Citus commits them in two phases.";
const SWEEP = "Looks at all environments, in the background: each server looks at its own.";

const ELSEWHERE =
  "Sent only where no table is distributed: a prepared schema (`isPreparedSchema`) gets another statement.";

const MODELS =
  "Models lie on several servers: those of a connection or an environment are read, or changed, in parallel.";

export const allowed: readonly Allowed[] = [
  {
    from: "sql-access/views/store.ts listModelNames",
    reason: "SQL access is refused where tables are distributed.",
    joins: true,
  },
  { from: "logs/store.ts insertOperations", reason: ROUTED },
  { from: "logs/store.ts insertMessages", reason: ROUTED },
  { from: "logs/store.ts insertCalls", reason: ROUTED },
  { from: "logs/store.ts endOperations", reason: ROUTED },
  { from: "logs/store.ts upsertNotes", reason: ROUTED },
  { from: "logs/store.ts expireOpenOperations", reason: SWEEP },
  {
    from: "operator/fill-database.ts fillDatabase",
    reason: "Fills an empty database from a backup, once and by an operator.",
  },
  {
    from: "logs/erasure/store.ts deleteLeftMessages",
    reason: "Removes what is left of environments that were deleted, in the background.",
  },
  {
    from: "records/reading/store.ts listRecordRows",
    has: "set local",
    reason:
      "The parameter travels with the query to save three round trips. Citus passes parameters on only with citus.propagate_set_commands, which stays off.",
  },
  { from: "webhooks-in/distributed/store.ts insertDistributed", reason: ROUTED },
  { from: "webhooks-in/store.ts insertWebhooks", reason: ELSEWHERE, joins: true },
  { from: "webhooks-in/store.ts insertLargeWebhook", reason: ELSEWHERE, joins: true },
  { from: "webhooks-in/store.ts listQueues", reason: ELSEWHERE, joins: true },
  { from: "webhooks-in/store.ts listDue", has: "is true", reason: ELSEWHERE, joins: true },
  { from: "webhooks-in/store.ts claimCompleting", has: "is true", reason: ELSEWHERE, joins: true },
  {
    from: "webhooks-in/storage/store.ts deleteHandledRequests",
    has: "is true",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "webhooks-in/listing/store.ts listWebhookRows",
    has: "is true",
    reason: ELSEWHERE,
    joins: true,
  },
  { from: "webhooks-in/backlog/store.ts readInboxBacklog", reason: SWEEP },
  { from: "webhooks-out/store.ts findOpenRange", reason: ELSEWHERE, joins: true },
  {
    from: "webhooks-out/sending/store.ts claimDeliveries",
    has: "set_config",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "webhooks-out/sending/store.ts findNextDue",
    has: "r on true",
    reason: ELSEWHERE,
    joins: true,
  },
  { from: "webhooks-out/sending/store.ts storeOutcomes", reason: ELSEWHERE, joins: true },
  {
    from: "webhooks-out/sending/store.ts noteFailing",
    has: "where true",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "webhooks-out/deliveries/store.ts listDeliveryRows",
    has: "where true and d.id",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "webhooks-out/deliveries/store.ts queueRangeAgain",
    has: "where true and d.id",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "webhooks-out/store.ts deleteDeliveriesBefore",
    has: "where true and d.",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "webhooks-out/store.ts deletePayloadsBefore",
    has: "where true and id",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "webhooks-out/store.ts deleteTurnsBefore",
    has: "where true and d.",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "webhooks-out/receivers/store.ts openReceiver",
    has: "where true and t.",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "webhooks-out/receivers/store.ts listReceiverRows",
    has: "where true and t.",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "webhooks-out/receivers/store.ts listUnusedReceivers",
    has: "where true and t.",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "webhooks-out/receivers/store.ts deleteUnusedReceivers",
    has: "where true and t.",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "webhooks-out/erasure/store.ts deleteDeliveriesOf",
    has: "where true and d.",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "webhooks-out/erasure/store.ts listThatMayName",
    has: "p on true",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "webhooks-out/erasure/store.ts deleteUnusedPayloads",
    has: "where true and d.",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "webhooks-out/delete-old-deliveries.ts deleteOldDeliveries",
    has: "offset",
    reason: "Reads a day by its name, before it is dropped; the schema of the check has no days.",
  },
  { from: "webhooks-out/backlog/store.ts readDeliveryBacklog", reason: SWEEP },
  { from: "vault/rotation/store.ts listSealedRows", reason: SWEEP },
  {
    from: "problems/store.ts sweepRows",
    has: "from record_models",
    reason: ELSEWHERE,
    joins: true,
  },
  { from: "problems/causes/distributed/store.ts readPages", reason: SWEEP },
  { from: "records/tracking/store.ts listOldTrackings", reason: SWEEP },
  {
    from: "records/feed/changed-store.ts listChangedModels",
    has: "left join lateral",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "records/feed/changed-store.ts listChangedModels",
    has: "select id, connection_uuid",
    reason: MODELS,
  },
  {
    from: "records/feed/changed-store.ts compareModels",
    has: "left join record_feed_models",
    reason: ELSEWHERE,
    joins: true,
  },
  {
    from: "records/feed/changed-store.ts compareModels",
    has: "select id, sequence",
    reason: MODELS,
  },
  { from: "records/models/store.ts listModelRows", reason: MODELS },
  { from: "records/retention/store.ts listModelIds", reason: MODELS },
  { from: "records/store.ts listCounts", reason: MODELS },
  { from: "records/store.ts listRefusals", reason: MODELS },
  { from: "records/store.ts removeModels", reason: MODELS },
  { from: "records/store.ts removeQuarantines", reason: MODELS },
  { from: "records/models/store.ts listQuarantinedModels", reason: MODELS },
  { from: "records/quarantine/store.ts listReasons", reason: MODELS },
  { from: "records/quarantine/store.ts expireSamples", reason: SWEEP },
  { from: "records/quarantine/store.ts listOldReasons", reason: SWEEP },
  { from: "records/tracking/store.ts allowRefusedDeletes", reason: MODELS },
  { from: "records/tracking/store.ts listSweptModels", reason: MODELS },
];
