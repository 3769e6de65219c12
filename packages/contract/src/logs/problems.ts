import * as z from "zod";
import { nextCursor, pageQuery, timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";

/** What is wrong in an environment. */

const kind = z
  .enum([
    "needs_reauthorization",
    "sync_failing",
    "delete_guard",
    "receiver_failing",
    "receiver_disabled",
    "refresh_backoff",
    "client_refused",
    "sync_late",
    "run_stuck",
    "function_error",
    "inbox_failed",
    "webhooks_silent",
    "webhooks_unverified",
    "key_expiring",
    "provider_down",
    "validation_drift",
    "records_quarantined",
    "canary_rolled_back",
    "destination_failing",
    "sql_access_suspended",
    "queue_late",
    "key_unused",
    "signing_key_rotating",
    "disk_low",
    "partition_missing",
  ])
  .meta({
    id: "ProblemKind",
    description:
      "`needs_reauthorization`: a provider has refused connections; `sync_failing`: two runs or more in a row have failed, though nothing is known to be wrong with the credentials; `delete_guard`: deletes wait for a confirmation; `receiver_failing`, `receiver_disabled`: webhooks are not received, or held; `refresh_backoff`: tokens cannot be refreshed at the moment; `client_refused`: a provider has refused the OAuth client of an integration; `sync_late`: syncs have been due for 10 minutes; `run_stuck`: runs were taken over again and again; `function_error`: an action or on-event function fails with one error at one place; `inbox_failed`: received webhooks could not be handled; `webhooks_silent`: for connections no webhook came for far longer than usual; `webhooks_unverified`: webhooks of an integration arrive, and for a day none was verified; `key_expiring`: API keys end within 7 days; `provider_down`: a host of a provider takes no connections, or its token endpoint fails; `validation_drift`: values of a function no longer match its schema; `records_quarantined`: records did not match their schema and were not saved; `canary_rolled_back`: the last canary was rolled back by itself; `destination_failing`: changes of records have not been delivered to a database of yours for 2 minutes; `sql_access_suspended`: the login for SQL access cannot sign in until it gets a new password; `queue_late`: due work has waited for 2 minutes; `key_unused`: API keys were not used for 90 days; `signing_key_rotating`: an earlier webhook signing key still signs; `disk_low`, `partition_missing`: of the installation, and shown in the environments of its first account: the file system of a data folder is almost full, or a table has no room for tomorrow.",
  });
const state = z.enum(["open", "muted", "resolved"]);

const problem = z
  .strictObject({
    id: uuid.describe("Id of the problem; it stays when the same problem comes again."),
    fingerprint: z.string().describe("What makes it the same problem."),
    kind: kind.describe("What is wrong."),
    severity: z
      .enum(["error", "warning"])
      .describe("`error`: something has stopped; `warning`: it will stop."),
    title: z.string().describe("What is wrong, as a sentence."),
    state: state.describe("`open`, `muted` until `mute_until`, or `resolved`."),
    since: timestamp.describe("When it began."),
    last_at: timestamp.describe("When it happened last."),
    count: z
      .number()
      .int()
      .describe(
        "How often, or how many have it: connections, webhook endpoints, webhooks, keys, jobs. Of an environment at most 10,000 syncs that failed or are late, 10,000 failed webhooks and 1,000 models of each kind are counted.",
      ),
    cause: z
      .string()
      .nullable()
      .describe(
        "Why, as far as it is known: the provider's answer, or what was counted; null if it is not.",
      ),
    code: z
      .string()
      .nullable()
      .describe("Type of the error of a function, or what does not match; null without one."),
    place: z
      .string()
      .nullable()
      .describe("Where the function failed: file and line. Null if it is not known."),
    by_itself: z.string().describe("What the server does without anybody."),
    next_at: timestamp
      .nullable()
      .describe(
        "When it does that next, or when what is about to happen happens; null without a time.",
      ),
    sample_operation_id: uuid
      .nullable()
      .describe(
        "The last operation that shows it, for `GET /logs/operations/{operationId}`; null without one.",
      ),
    first_operation_id: uuid
      .nullable()
      .describe(
        "The operation that showed it when it was opened. Logs are kept for a time: `GET /logs/operations/{operationId}` then answers 404. Null without one, and for a problem that an earlier version opened.",
      ),
    integration: z.string().nullable().describe("Integration; null without one."),
    function: z.string().nullable().describe("Function; null without one."),
    model: z
      .string()
      .nullable()
      .describe("Model of the refused deletes, or of the quarantined records; null without one."),
    receiver_url: z.string().nullable().describe("Address of webhooks; null without one."),
    connections: z
      .strictObject({
        count: z.number().int().describe("How many have it."),
        sample: z.array(z.string()).describe("Up to five of them by id, the newest first."),
      })
      .describe("Connections that have it."),
    next_steps: z.array(z.string()).describe("What to do, in order."),
    mute_until: timestamp.nullable().describe("Until when it is muted; null if it is not."),
    resolved_at: timestamp.nullable().describe("When it was resolved; null before."),
    note: z.string().nullable().describe("What a person has noted; null without a note."),
  })
  .meta({ id: "Problem", description: "Something that is wrong in an environment." });

const params = z.strictObject({ problemId: uuid.describe("The problem.") });
const one = {
  status: 200,
  schema: z.strictObject({ data: problem.describe("The problem.") }),
} as const;

export const problemRoutes = {
  listProblems: defineRoute({
    method: "GET",
    path: "/problems",
    summary: "What is wrong in the environment, the newest first",
    principals: ["environment"],
    scope: "environment:problems:read",
    query: z.strictObject({
      state: state.optional().describe("Only problems in this state."),
      kind: kind.optional().describe("Only problems of this kind."),
      ...pageQuery("Problems", { most: 100, usual: 50 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(problem).describe("The page of problems."),
        next_cursor: nextCursor,
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  getProblem: defineRoute({
    method: "GET",
    path: "/problems/{problemId}",
    summary: "Get one problem",
    principals: ["environment"],
    scope: "environment:problems:read",
    params,
    success: one,
    errors: ["not_found"],
    idempotent: false,
  }),
  updateProblem: defineRoute({
    method: "PATCH",
    path: "/problems/{problemId}",
    summary: "Mute a problem, note something, or mark it as resolved until it happens again",
    principals: ["environment"],
    scope: "environment:problems:write",
    params,
    body: z.strictObject({
      mute_until: timestamp
        .nullable()
        .optional()
        .describe("Muted until then; null ends it. Default: as it is."),
      note: z
        .string()
        .max(2000)
        .nullable()
        .optional()
        .describe("A note, up to 2000 characters; null removes it. Default: as it is."),
      resolved: z
        .boolean()
        .optional()
        .describe("`true`: resolved until it happens again; `false`: open. Default: as it is."),
    }),
    success: one,
    errors: ["not_found"],
    idempotent: true,
  }),
} as const;
