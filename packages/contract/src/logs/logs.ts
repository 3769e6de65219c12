import * as z from "zod";
import { nextCursor, providerTiming, timestamp, uuid, wholeNumber } from "../fields.ts";
import { defineRoute } from "../route.ts";
import { listOf, operationKind } from "./list-of.ts";

/** Operations and their messages. */

const state = z.enum(["waiting", "running", "success", "failed", "timeout", "cancelled"]).meta({
  id: "OperationState",
  description:
    "`waiting`, `running`, `success`, `failed`, `timeout` (it did not end in time), or `cancelled`.",
});
const level = z
  .enum(["debug", "info", "warn", "error"])
  .meta({ id: "LogLevel", description: "How serious it is: `debug`, `info`, `warn` or `error`." });
const named = z.looseObject({
  id: z.number().int().describe("Number of it, unique in the installation."),
  name: z.string().describe("Its name at the time: a key, a connection id or a function's name."),
});
const json = z.looseObject({});

const callTiming = providerTiming
  .extend({
    other_ms: z
      .number()
      .int()
      .describe(
        "The rest of `duration_ms`: the server's own work, and the transfer of the bodies.",
      ),
  })
  .meta({ id: "CallTiming", description: "Where the time of a call to a provider went." });

const ms = z.number().int();

const runPhases = z
  .strictObject({
    queue_ms: ms.describe(
      "Milliseconds from the moment it was due until a worker took it: before `created_at`, and so not part of `duration_ms`. 0 for what is not queued.",
    ),
    before_ms: ms.describe(
      "From `created_at` until its last attempt began: earlier attempts, and the server's own work. What follows is about the last attempt.",
    ),
    process_wait_ms: ms.describe("Waiting for a process."),
    process_start_ms: ms
      .nullable()
      .describe(
        "Getting the process ready: starting it, loading the function, or cleaning it after another connection; null where the function never began.",
      ),
    is_cold: z
      .boolean()
      .nullable()
      .describe(
        "`true`: the process had to load the function first, and perhaps to start; `false`: it had the function already. Null where the function never began.",
      ),
    function_ms: ms
      .nullable()
      .describe("The function, its calls included; null where it never began."),
    saves: z
      .strictObject({
        count: ms.describe("Calls of `batchSave`, `batchUpdate` and `batchDelete`."),
        after_ms: ms.describe("From the beginning of the function to the first of them."),
        busy_ms: ms.describe(
          "Their time in all, as part of `function_ms`; those that overlap count once.",
        ),
      })
      .nullable()
      .describe("Saves of records; null without any."),
  })
  .meta({
    id: "RunPhases",
    description: "Where the time of a function's run went, in milliseconds.",
  });

const operation = z
  .strictObject({
    id: uuid.describe("Id of the operation; ids of later operations sort after it."),
    operation: z
      .strictObject({
        type: z.string().meta({
          description:
            "Its type, such as `sync`, `action`, `proxy`, `webhook`, `auth` or `deploy`.",
          examples: ["sync"],
        }),
        action: z.string().meta({
          description: "What was done, such as `run` or `refresh_token`.",
          examples: ["run"],
        }),
      })
      .describe("What kind of operation it is."),
    state: state.describe("Its state."),
    level: level.describe("The most serious level of its outcome."),
    message: z.string().describe("What was done, in words."),
    integration: named
      .extend({ provider: z.string().describe("Id of the integration's provider.") })
      .nullable()
      .describe("Integration that it was about; null without one."),
    connection: named.nullable().describe("Connection that it was about; null without one."),
    function: named.nullable().describe("Function that it was about; null without one."),
    actor: json
      .nullable()
      .describe(
        "Who caused it: `type` (`key`, `user`, `session`, `function` or `system`), `id`, and the `name` of a key or user at that time; of a function `id` is its run, and `operation_id` the operation of that run. Null if unknown.",
      ),
    request: json
      .nullable()
      .describe(
        "The request that it answered or sent: `method`, `url` and `headers` without credentials; null without one.",
      ),
    response: json.nullable().describe("The answer: `code` and `headers`; null without one."),
    error: json
      .nullable()
      .describe("Why it failed: `type`, `message`, and what else is known; null when it has not."),
    meta: json.nullable().describe("Further facts by name; null without any."),
    created_at: timestamp.describe("When it was created."),
    started_at: timestamp.nullable().describe("When it began; null before."),
    ended_at: timestamp.nullable().describe("When it ended; null before."),
    expires_at: timestamp
      .nullable()
      .describe("When an operation that has not ended becomes `timeout`; null once it has ended."),
    duration_ms: z
      .number()
      .int()
      .nullable()
      .describe("Milliseconds from its beginning to its end; null before it ends."),
    timing: callTiming
      .nullable()
      .describe("Of a proxy request: where its time went; null for others, and before it ends."),
    phases: runPhases
      .nullable()
      .describe(
        "Of a function's run: where its time went; null for others, before it ends, and for runs that earlier versions logged.",
      ),
  })
  .meta({
    id: "Operation",
    description: "Something that the server did, such as a run, a call or a refresh.",
  });

const message = z
  .strictObject({
    id: uuid.describe("Id of the message."),
    parent_id: uuid.describe("Id of its operation."),
    source: z
      .enum(["internal", "user"])
      .describe("`user`: logged by a function; `internal`: by the server."),
    level: level.describe("How serious it is."),
    type: z.enum(["log", "http"]).describe("`log`: a text; `http`: a call to a provider."),
    message: z.string().describe("The text."),
    context: z
      .string()
      .nullable()
      .describe("Part of the run that it belongs to; null without one."),
    request: json
      .nullable()
      .describe("Of a call: `method`, `url` and `headers` without credentials; null otherwise."),
    response: json.nullable().describe("Of a call: `code` and `headers`; null without an answer."),
    error: json.nullable().describe("What failed: `type` and `message`; null when nothing has."),
    meta: json.nullable().describe("Further facts by name; null without any."),
    retry: json
      .nullable()
      .describe("Of a repeated call: which attempt it was and how long it waits; null otherwise."),
    created_at: timestamp.describe("When it was logged."),
    ended_at: timestamp.nullable().describe("When the call ended; null for other messages."),
    duration_ms: z
      .number()
      .int()
      .nullable()
      .describe("Milliseconds that the call took; null for other messages."),
    timing: callTiming
      .nullable()
      .describe("Of a call: where its time went; null for other messages, and for each retry."),
  })
  .meta({ id: "OperationMessage", description: "A line of the log of an operation." });

const name = z.string().min(1).max(255);
const search = z.string().min(1).max(256).optional();
const cursor = z.string().min(1).max(200).optional();

export const logRoutes = {
  listOperations: defineRoute({
    method: "GET",
    path: "/logs/operations",
    summary:
      "List and search operations, newest first, over the whole time for which they are kept",
    principals: ["environment"],
    scope: "environment:logs:read",
    query: z.strictObject({
      states: listOf(state).describe("Only operations in these states."),
      levels: listOf(level).describe("Only operations of these levels."),
      types: listOf(operationKind).meta({
        description: "Only operations of these types, each as `type` or `type:action`.",
        examples: ["sync:run"],
      }),
      integrations: listOf(name).describe("Only operations about these integrations."),
      connections: listOf(name).describe("Only operations about these connections."),
      functions: listOf(name).describe("Only operations about these functions."),
      actors: listOf(name).describe(
        "Only operations that these caused: ids of keys, users, sessions, runs or operations, or all of a type: `key`, `user`, `session`, `function` or `system`.",
      ),
      status_codes: listOf(
        z.string().regex(/^[1-5](\d\d|xx)$/, "is a status such as `404`, or a class such as `5xx`"),
      ).meta({
        description:
          "Only operations whose answer had one of these HTTP statuses, or one of a class.",
        examples: ["5xx"],
      }),
      min_duration_ms: wholeNumber({ min: 0, max: 604_800_000 })
        .optional()
        .describe("Only operations that have ended and took this many milliseconds or longer."),
      max_duration_ms: wholeNumber({ min: 0, max: 604_800_000 })
        .optional()
        .describe("Only operations that have ended and took at most this many milliseconds."),
      from: timestamp.optional().describe("Only operations created at this time or later."),
      to: timestamp.optional().describe("Only operations created up to this time."),
      search: search.describe(
        "Only operations with this text in their messages, 1 to 256 characters; upper and lower case are the same.",
      ),
      limit: wholeNumber({ min: 1, max: 500 })
        .optional()
        .describe("Operations on a page, 1 to 500. Default 100."),
      cursor: cursor.describe("`next_cursor` of the page before. Default: the first page."),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(operation).describe("The page of operations, newest first."),
        next_cursor: z
          .string()
          .nullable()
          .describe(
            "Where the next page begins; null at the end. A search may answer less than a page and still have one.",
          ),
        searched: z
          .strictObject({
            from: timestamp.describe("Operations created after this time were searched."),
            oldest: timestamp.describe(
              "When the whole search ends: at `from`, or where the log begins.",
            ),
          })
          .nullable()
          .describe(
            "How far a search has come that answers less than a page and has a next one; null otherwise.",
          ),
      }),
    },
    errors: ["invalid_cursor", "overloaded"],
    idempotent: false,
  }),
  listOperationNames: defineRoute({
    method: "GET",
    path: "/logs/operations/names",
    summary:
      "Names of integrations, connections or functions in operations, the most frequent first",
    principals: ["environment"],
    scope: "environment:logs:read",
    query: z.strictObject({
      of: z.enum(["integrations", "connections", "functions"]).describe("Whose names to count."),
      prefix: name
        .optional()
        .describe("Only names that begin with this text; upper and lower case are the same."),
      from: timestamp
        .optional()
        .describe("Only operations created at this time or later. Default: a day before `to`."),
      to: timestamp.optional().describe("Only operations created up to this time. Default: now."),
      limit: wholeNumber({ min: 1, max: 100 })
        .optional()
        .describe("Names to answer, 1 to 100. Default 20."),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z
          .array(
            z.strictObject({
              name: z.string().describe("The name."),
              count: z.number().int().describe("Operations with that name in the time asked for."),
            }),
          )
          .describe("The names, the most frequent first."),
      }),
    },
    errors: ["overloaded"],
    idempotent: false,
  }),
  getOperation: defineRoute({
    method: "GET",
    path: "/logs/operations/{id}",
    summary: "Get one operation",
    principals: ["environment"],
    scope: "environment:logs:read",
    params: z.strictObject({ id: uuid.describe("Operation to read.") }),
    success: {
      status: 200,
      schema: z.strictObject({ data: operation.describe("The operation.") }),
    },
    errors: ["not_found", "overloaded"],
    idempotent: false,
  }),
  listOperationMessages: defineRoute({
    method: "GET",
    path: "/logs/operations/{id}/messages",
    summary: "List and search the messages of an operation, in their order or from the last",
    principals: ["environment"],
    scope: "environment:logs:read",
    params: z.strictObject({ id: uuid.describe("Operation whose messages are read.") }),
    query: z.strictObject({
      levels: listOf(level).describe("Only messages of these levels."),
      search: search.describe(
        "Only messages with this text, 1 to 256 characters; upper and lower case are the same.",
      ),
      order: z
        .enum(["asc", "desc"])
        .default("asc")
        .describe("`asc`, the default: oldest first; `desc`: newest first."),
      limit: wholeNumber({ min: 1, max: 500 })
        .optional()
        .describe("Messages on a page, 1 to 500. Default 100."),
      cursor: cursor.describe(
        "`next_cursor` of the page before, with the same `order`. Default: the first page.",
      ),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(message).describe("The page of messages, in the order asked for."),
        next_cursor: nextCursor,
        previous_cursor: z
          .string()
          .nullable()
          .describe(
            "For the messages before the first one here: send it with the opposite `order`. Null when there are none.",
          ),
      }),
    },
    errors: ["not_found", "invalid_cursor", "overloaded"],
    idempotent: false,
  }),
} as const;
