import * as z from "zod";
import { connectionId, integrationKey, pageQuery, tags, timestamp, uuid } from "../fields.ts";
import { defineRoute } from "../route.ts";
import type { Scope } from "../scopes.ts";
import { syncState } from "../syncs/sync-lists.ts";
import { connectionState } from "./connection.ts";

/** One action over many connections or syncs, as a job. */

/** What each action takes: any of these. */
export const bulkScopes = {
  "connections:refresh": ["environment:connections:refresh", "environment:connections:update"],
  "connections:tag": ["environment:connections:update"],
  "connections:delete": ["environment:connections:delete"],
  "syncs:trigger": ["environment:syncs:execute"],
  "syncs:pause": ["environment:syncs:execute"],
  "syncs:start": ["environment:syncs:execute"],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

export type BulkAction = keyof typeof bulkScopes;

const action = z
  .enum([
    "connections:refresh",
    "connections:tag",
    "connections:delete",
    "syncs:trigger",
    "syncs:pause",
    "syncs:start",
  ])
  .meta({
    id: "BulkAction",
    description:
      "What is done to each: its token refreshed, tags added, the connection deleted; the sync run now, taken off its schedule, put on it again.",
  });

export const bulkFilter = z
  .strictObject({
    provider_config_key: integrationKey.optional().describe("Only those of this integration."),
    connection_id: connectionId
      .optional()
      .describe("Only connections with this id, or their syncs."),
    state: z
      .union([connectionState, syncState])
      .optional()
      .describe("Only connections, or syncs, in this state."),
    tags: z
      .record(z.string().min(1).max(64), z.string().max(255))
      .optional()
      .describe("Only connections that have all these tags; not for syncs."),
    search: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe("As `search` of `GET /connections`; not for syncs."),
    expires_before: timestamp
      .optional()
      .describe("Only connections whose credentials expire before this time; not for syncs."),
    reauthorize_before: timestamp
      .optional()
      .describe("As `reauthorize_before` of `GET /connections`; not for syncs."),
    unused_since: timestamp
      .optional()
      .describe("Only connections that nobody has used since; not for syncs."),
    sync: z.string().min(1).max(255).optional().describe("Only syncs of this name."),
  })
  .meta({
    id: "BulkFilter",
    description: "What is meant, as in the list of connections or syncs; an empty one means all.",
  });

/** A connection by its names. */
export const connectionName = z.strictObject({
  provider_config_key: integrationKey.describe("Integration of the connection."),
  connection_id: connectionId.describe("The connection."),
});

const job = z
  .strictObject({
    id: uuid.describe("Id of the job."),
    action: action.describe("What is done to each."),
    state: z
      .enum(["running", "stopped", "done"])
      .describe("`running`, also after a restart; `stopped`: somebody ended it before."),
    matched: z.number().int().describe("How many it is about, chosen when it began."),
    done: z.number().int().describe("How many it has done."),
    failed: z.number().int().describe("How many could not be done."),
    failures: z
      .array(
        z.strictObject({
          connection_id: z.string().nullable().describe("The connection; null if it was deleted."),
          sync: z.string().nullable().describe("The sync; null for connections."),
          code: z.string().describe("Error code, as the single call would answer."),
          message: z.string().describe("What happened."),
        }),
      )
      .describe("The first 20 failures; empty in lists."),
    created_at: timestamp.describe("When it began."),
    ended_at: timestamp.nullable().describe("When it ended; null before."),
  })
  .meta({ id: "BulkJob", description: "An action over many, and how far it is." });

const anyOfThem = [
  "environment:connections:refresh",
  "environment:connections:update",
  "environment:connections:delete",
  "environment:syncs:execute",
] as const satisfies readonly Scope[];
const params = z.strictObject({ jobId: uuid.describe("The job.") });
const one = {
  status: 200,
  schema: z.strictObject({ data: job.describe("The job.") }),
} as const;

export const bulkRoutes = {
  startBulkJob: defineRoute({
    method: "POST",
    path: "/bulk",
    summary: "Do one action to many connections or syncs, chosen by filter or by name",
    principals: ["environment"],
    scope: anyOfThem,
    body: z
      .strictObject({
        action: action.describe("What to do to each; it takes the scope of the single call."),
        filter: bulkFilter
          .optional()
          .describe("Those that fit when the job begins; at most 100,000."),
        connections: z
          .array(connectionName)
          .min(1)
          .max(1000)
          .optional()
          .describe("These connections, in place of a filter; at most 1,000."),
        syncs: z
          .array(uuid)
          .min(1)
          .max(1000)
          .optional()
          .describe("These syncs by id, in place of a filter; at most 1,000."),
        tags: tags
          .optional()
          .describe("Tags that `connections:tag` adds; those of the same name are replaced."),
        dry_run: z
          .boolean()
          .optional()
          .describe("`true`: only count what would be done. Default `false`."),
      })
      .meta({ id: "NewBulkJob" }),
    success: {
      status: 202,
      schema: z.strictObject({
        data: z
          .strictObject({
            matched: z.number().int().describe("How many connections or syncs are meant."),
            job: job.nullable().describe("The job, which has begun; null for a dry run."),
          })
          .describe("What was begun."),
      }),
    },
    errors: [
      "forbidden",
      "not_found",
      "step_up_required",
      { code: "unknown_provider_config", status: 400 },
      { code: "unknown_connection", status: 404 },
    ],
    idempotent: true,
  }),
  listBulkJobs: defineRoute({
    method: "GET",
    path: "/bulk",
    summary: "List bulk jobs of the last 30 days, newest first",
    principals: ["environment"],
    scope: anyOfThem,
    query: z.strictObject({
      ...pageQuery("Jobs", { most: 100, usual: 50 }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(job).describe("The jobs, newest first."),
        next_cursor: z.string().nullable().describe("For the next page; null on the last."),
      }),
    },
    errors: ["invalid_cursor"],
    idempotent: false,
  }),
  getBulkJob: defineRoute({
    method: "GET",
    path: "/bulk/{jobId}",
    summary: "Get how far a bulk job is, with its first failures",
    principals: ["environment"],
    scope: anyOfThem,
    params,
    success: one,
    errors: ["not_found"],
    idempotent: false,
  }),
  stopBulkJob: defineRoute({
    method: "DELETE",
    path: "/bulk/{jobId}",
    summary: "Stop a bulk job; what it has done stays done",
    principals: ["environment"],
    scope: anyOfThem,
    params,
    success: one,
    errors: ["not_found", "forbidden"],
    idempotent: false,
  }),
} as const;
