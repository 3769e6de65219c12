import { createHash } from "node:crypto";
import type { Problem, ProblemKind } from "./problem.ts";

interface Wording {
  /** `error`: something has stopped; `warning`: it will stop. */
  readonly severity: "error" | "warning";
  title(problem: Problem): string;
  /** What the server does without anybody. */
  readonly byItself: string;
  readonly nextSteps: readonly string[];
}

const wordings: Readonly<Record<ProblemKind, Wording>> = {
  needs_reauthorization: {
    severity: "error",
    title: ({ count, integration }) =>
      `${count} ${count === 1 ? "connection" : "connections"} of ${integration} must be authorized again`,
    byItself:
      "Nothing more is tried: the provider has refused these credentials for good. Functions fail with `invalid_credentials`, and syncs that do are no problems of their own: they run at once when the end user has connected again.",
    nextSteps: [
      "Read `errors` of the connection for what the provider answered.",
      "Create a session with `POST /connect/sessions/reconnect` and give its link to the end user.",
      "If all connections of the integration fail, check its client id and client secret.",
    ],
  },
  sync_failing: {
    severity: "error",
    title: ({ count, function: name, integration }) =>
      `The sync ${name} of ${integration} keeps failing for ${count} ${count === 1 ? "connection" : "connections"}`,
    byItself:
      "Each sync runs again at its usual time. Saved records stay, and the next run that succeeds resolves the problem.",
    nextSteps: [
      "Read the failed runs: `GET /logs/operations?types=sync:run&states=failed`.",
      "Try the function with `jackfield dryrun`, deploy a version that works, and trigger the sync.",
    ],
  },
  delete_guard: {
    severity: "warning",
    title: ({ count, function: model, integration }) =>
      `Deletes of ${model} of ${integration} were refused for ${count} ${count === 1 ? "connection" : "connections"}`,
    byItself:
      "The records stay as they are. A run that finds them again resolves the problem; a run that does not asks again.",
    nextSteps: [
      "Check at the provider whether so many records are really gone.",
      "Allow them with `POST /sync/confirm-deletes`, or run the sync again.",
    ],
  },
  receiver_failing: {
    severity: "warning",
    title: ({ receiver }) => `Webhooks to ${addressOf(receiver)} are not received`,
    byItself:
      "Each webhook is sent again, with growing pauses. After 5 days without one that was received the endpoint is disabled, and webhooks are held.",
    nextSteps: [
      "Read what it answered: `GET /webhooks/deliveries?state=waiting`.",
      "Deliveries are repeated by themselves; after 5 days they are held.",
    ],
  },
  receiver_disabled: {
    severity: "error",
    title: ({ receiver }) => `Webhooks to ${addressOf(receiver)} are held`,
    byItself:
      "Webhooks are held and not lost. They go out in their order once the endpoint is enabled.",
    nextSteps: [
      "Make the endpoint answer with a status of 2xx.",
      "Then send what was held with `POST /webhooks/receivers/enable`.",
    ],
  },
  refresh_backoff: {
    severity: "warning",
    title: ({ count, integration }) =>
      `Tokens of ${countOf(count, "connection")} of ${integration} cannot be refreshed at the moment`,
    byItself:
      "Each token is refreshed again, with growing pauses. One that is still valid is used meanwhile; without one functions fail with `connection_refresh_backoff`, and syncs that do are no problems of their own.",
    nextSteps: [
      "The server tries again by itself; tokens that are still valid are used meanwhile.",
      "Look at the provider's status page, and read `errors` of the connection.",
      "Try now with `POST /connections/{connectionId}/refresh`.",
    ],
  },
  client_refused: {
    severity: "error",
    title: ({ count, integration }) =>
      `The provider refuses the OAuth client of ${integration}, which ${countOf(count, "connection")} ${count === 1 ? "needs" : "need"}`,
    byItself:
      "Refreshes are tried again with growing pauses, and fail until somebody corrects the client here or at the provider. Once the integration is changed, the next call refreshes at once. Without a valid token functions fail with `integration_misconfigured`, and syncs that do are no problems of their own.",
    nextSteps: [
      "Compare client id and client secret with those at the provider.",
      "Change them with `PATCH /integrations/{uniqueKey}`; connections then recover by themselves.",
    ],
  },
  sync_late: {
    severity: "warning",
    title: ({ count, function: name, integration }) =>
      `The sync ${name} of ${integration} is late for ${countOf(count, "connection")}`,
    byItself: "The syncs run as soon as a worker and a slot are free, one run for each.",
    nextSteps: [
      "See whether workers run and what waits: `GET /installation`.",
      "An environment runs only so many syncs at once; others of it may take long.",
    ],
  },
  run_stuck: {
    severity: "error",
    title: ({ count, function: name, integration }) =>
      `Runs of ${name} of ${integration} end their worker, for ${countOf(count, "connection")}`,
    byItself:
      "A run whose worker ended is taken over by another, until it was tried often enough. Then it fails, and the sync runs at its next time.",
    nextSteps: [
      "Read the lines of the run: it may take more memory than it may have.",
      "Stop it with `POST /runs/{id}/cancel`, and deploy a version that reads smaller pages.",
    ],
  },
  function_error: {
    severity: "error",
    title: ({ count, function: name, integration, code, place }) =>
      `The function ${name} of ${integration} has failed ${count} times with ${code}${place === null ? "" : ` at ${place}`}`,
    byItself:
      "Nothing is tried again: actions fail at their callers, and events have passed. The problem resolves itself two hours after the last such error, or earlier with a new version or a success 15 minutes later.",
    nextSteps: [
      "Read the messages of `sample_operation_id`: `GET /logs/operations/{id}/messages`.",
      "Take the last deployment back with `POST /deployments/{id}/rollback`, or deploy a version that works.",
    ],
  },
  inbox_failed: {
    severity: "error",
    title: ({ count, integration }) =>
      `${countOf(count, "webhook")} of ${integration} could not be handled within a day`,
    byItself: "What was received is kept, and handled again when somebody asks for it.",
    nextSteps: [
      "Read why: `GET /webhooks/inbox?state=failed`.",
      "Handle them again with `POST /webhooks/inbox/replay`.",
    ],
  },
  webhooks_silent: {
    severity: "warning",
    title: ({ count, integration }) =>
      `No webhook of ${integration} has come for ${countOf(count, "connection")} for far longer than usual`,
    byItself:
      "Syncs find changes at their usual time. The next webhook for a connection ends it for that connection; once none is left, the problem resolves itself.",
    nextSteps: [
      "See since when, and what is usual: `GET /webhooks/inbox/connections?silent=true`.",
      "Check at the provider whether the subscription still exists and what the server answered its last webhooks, and subscribe again.",
      "Run syncs that rely on webhooks: `POST /sync/trigger`.",
    ],
  },
  webhooks_unverified: {
    severity: "warning",
    title: ({ integration }) => `Webhooks of ${integration} arrive, but none is verified`,
    byItself:
      "Webhooks that nothing proves are refused, or stored as not verified. The next verified one resolves the problem; so does a day without any.",
    nextSteps: [
      "See how many came and why none is verified: `GET /webhooks/inbox/integrations`.",
      "Set the signing secret that the provider shows for the webhook as `webhook_secret` of the integration's credentials or custom fields: `PATCH /integrations/{key}`.",
      "If the webhooks are not the provider's, mute the problem: none of them was handled as one of the provider's.",
    ],
  },
  key_expiring: {
    severity: "warning",
    title: ({ count }) =>
      `${countOf(count, "API key")} of the environment ${count === 1 ? "ends" : "end"} within 7 days`,
    byItself: "At their end the keys are refused. Nothing else happens.",
    nextSteps: [
      "Create another key and replace the old one with it where it is used.",
      "Or move the end of the key: `PATCH /environment/api-keys/{keyId}`.",
    ],
  },
  provider_down: {
    severity: "error",
    title: ({ integration }) => `The provider of ${integration} is not reached`,
    byItself:
      "Calls are refused at once instead of waiting (`upstream_circuit_open`, `connection_refresh_backoff`). After each pause one call tries the host for all; its answer ends the problem, as do 15 minutes without a call. Tokens that are still valid are used meanwhile.",
    nextSteps: [
      "Look at the provider's status page.",
      "Find out where it ends with `POST /connections/{connectionId}/diagnose`: DNS, TLS, token, test request.",
      "With a base URL or a proxy of your own, check that it is up and that `SVC_EGRESS_ALLOW` opens it.",
    ],
  },
  validation_drift: {
    severity: "warning",
    title: ({ function: name, integration, code }) =>
      `The ${code} of ${name} of ${integration} no longer ${code?.startsWith("records") ? "match" : "matches"} the schema`,
    byItself:
      "Values are used as they are, with a warning in the log. The problem resolves itself a day after the last of them, or with a new version of the function.",
    nextSteps: [
      "Read which fields: the messages of `sample_operation_id` list them (`GET /logs/operations/{id}/messages`).",
      "Change the schema in the function and deploy it, or handle what the provider now sends.",
      "Refuse such values instead with `fail` in `validation` of `PATCH /environment/settings`.",
    ],
  },
  records_quarantined: {
    severity: "warning",
    title: ({ count, function: model, integration }) =>
      `Records of ${model} of ${integration} do not match their schema for ${countOf(count, "connection")}`,
    byItself:
      "The records are not saved, and what was saved of them before stays. One that a run saves again and that matches then leaves the quarantine; without any left the problem resolves itself.",
    nextSteps: [
      "Read which fields, and see samples: `GET /records/quarantine`, `GET /records/quarantine/samples`.",
      "Change the schema in the function and deploy it, or handle what the provider now sends; then run the sync again with `POST /sync/trigger` and `reset`.",
      'Save such records anyway with `onInvalidRecord: "save"` in the sync.',
    ],
  },
  canary_rolled_back: {
    severity: "error",
    title: () => "A new version was rolled back by itself",
    byItself:
      "All connections run the deployed version. The problem resolves itself with the next canary or deployment, or after 7 days.",
    nextSteps: [
      "Read what was beyond a limit: `GET /canaries`.",
      "Correct the functions and deploy them again.",
    ],
  },
  destination_failing: {
    severity: "error",
    title: ({ place }) => `Changes of records are not delivered to ${place ?? "a destination"}`,
    byItself:
      "Delivery is tried again, with pauses of up to 5 minutes, and continues after the last change that was delivered. Nothing is lost. After more than 7 days, models that have changed since are delivered as a whole; after more than 90 days, the table is emptied and filled again.",
    nextSteps: [
      "Read `last_error` of the destination: `GET /records/destinations`.",
      "Correct its URL or keys with `PATCH /records/destinations/{destinationId}`, which also tries again at once.",
    ],
  },
  sql_access_suspended: {
    severity: "error",
    title: () => "The login for SQL access is suspended",
    byItself:
      "Nobody signs in with the login. Records and syncs are not affected. A new password or a revocation resolves the problem.",
    nextSteps: [
      "Find out which client takes advisory locks; reading the views takes none.",
      "Make a new password with `POST /records/sql-access/rotate`, or revoke the login with `DELETE /records/sql-access`.",
    ],
  },
  queue_late: {
    severity: "warning",
    title: ({ count }) =>
      `${countOf(count, "queued job")} ${count === 1 ? "waits" : "wait"} for over 2 minutes`,
    byItself:
      "Jobs are done in their order as soon as a worker is free; none is lost. Environments take turns, so a crowd in one holds up itself alone.",
    nextSteps: [
      "See whether workers run and what waits: `GET /installation`.",
      "Start more processes with `SVC_ROLES=worker`, or raise `SVC_RUN_PLACES` where the machine has room.",
    ],
  },
  key_unused: {
    severity: "warning",
    title: ({ count }) =>
      `${countOf(count, "API key")} of the environment ${count === 1 ? "was" : "were"} not used for 90 days`,
    byItself: "Nothing: the keys stay valid. The first use of a key resolves it.",
    nextSteps: [
      "Delete keys that nobody needs: `DELETE /environment/api-keys/{keyId}`.",
      "Give one that is kept for an emergency an end: `PATCH /environment/api-keys/{keyId}`.",
    ],
  },
  signing_key_rotating: {
    severity: "warning",
    title: () => "Webhooks are signed with two keys while the signing key is being replaced",
    byItself:
      "Each webhook carries both signatures. At `next_at` the older key ends, and endpoints that know it alone refuse what comes after.",
    nextSteps: [
      "Give every endpoint the new key: `POST /environment/webhooks/reveal` shows it.",
      "End the older key early with `POST /environment/webhook-signing-key/rotate` and `immediate`, which makes another.",
    ],
  },
  disk_low: {
    severity: "error",
    title: () => "The file system of the data folder is almost full",
    byItself:
      "Old days of logs, webhooks and runs are dropped once a day. Without room, an embedded database stops, and tokens can no longer be kept through an outage of the database.",
    nextSteps: [
      "Read how much is left: `disk` of `GET /installation`.",
      "Add room, or keep less: `SVC_LOG_RETENTION_DAYS`, `retention` of the environment's settings.",
    ],
  },
  partition_missing: {
    severity: "warning",
    title: ({ count }) =>
      `${countOf(count, "table")} ${count === 1 ? "has" : "have"} no partition for tomorrow`,
    byItself:
      "Partitions are made three days ahead, at each start and once a day. Without one, rows go to the default partition: nothing is lost, but old days are dropped row by row.",
    nextSteps: [
      "Read why in the server's log: `database.day_kept`, `tasks.daily_failed`.",
      "Check that the database user may create tables, and that no long transaction locks the tables.",
    ],
  },
};

export function describeProblem(problem: Problem) {
  const { severity, title, byItself, nextSteps } = wordings[problem.kind];
  return { severity, title: title(problem), byItself, nextSteps };
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

const MOST_OF_PATH = 100;

/** With its path, by which endpoints of one host differ; the query may hold the endpoint's own token. */
function addressOf(url: string | null): string {
  if (url === null || !URL.canParse(url)) return "a webhook endpoint";
  const { origin, pathname, search } = new URL(url);
  const half = MOST_OF_PATH / 2;
  const isLong = pathname.length > MOST_OF_PATH;
  const path = isLong ? `${pathname.slice(0, half)}…${pathname.slice(-half)}` : pathname;
  return `${origin}${path === "/" ? "" : path}${search === "" ? "" : markOf(search)}`;
}

/** Queries can hold secrets: they are not shown, but endpoints that differ in nothing else have titles that differ. */
function markOf(search: string): string {
  const digest = createHash("sha256").update(search).digest("hex");
  return `?… (${digest.slice(0, 4)})`;
}
