import * as z from "zod";
import { timestamp, wholeNumber } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Operations and their messages. */

const state = z.enum(["waiting", "running", "success", "failed", "timeout", "cancelled"]);
const level = z.enum(["debug", "info", "warn", "error"]);
const named = z.looseObject({ id: z.number().int(), name: z.string() });
const json = z.looseObject({});

const operation = z.strictObject({
  id: z.uuid(),
  operation: z.strictObject({ type: z.string(), action: z.string() }),
  state,
  level,
  message: z.string(),
  integration: named.extend({ provider: z.string() }).nullable(),
  connection: named.nullable(),
  function: named.nullable(),
  actor: json.nullable(),
  request: json.nullable(),
  response: json.nullable(),
  error: json.nullable(),
  meta: json.nullable(),
  created_at: timestamp,
  started_at: timestamp.nullable(),
  ended_at: timestamp.nullable(),
  /** Past this time an operation that has not ended becomes `timeout`. */
  expires_at: timestamp.nullable(),
  duration_ms: z.number().int().nullable(),
});

const message = z.strictObject({
  id: z.uuid(),
  parent_id: z.uuid(),
  source: z.enum(["internal", "user"]),
  level,
  type: z.enum(["log", "http"]),
  message: z.string(),
  context: z.string().nullable(),
  request: json.nullable(),
  response: json.nullable(),
  error: json.nullable(),
  meta: json.nullable(),
  retry: json.nullable(),
  created_at: timestamp,
  ended_at: timestamp.nullable(),
  duration_ms: z.number().int().nullable(),
});

/** Given once, several times, or as a list with commas. */
function listOf<Item extends z.ZodType<string, string>>(item: Item) {
  return z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap((text) => text.split(",")))
    .pipe(z.array(item).min(1).max(20))
    .optional();
}

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
      states: listOf(state),
      levels: listOf(level),
      /** `type` or `type:action`. */
      types: listOf(z.string().regex(/^[a-z]+(:[a-z_]+)?$/, "is `type` or `type:action`")),
      integrations: listOf(name),
      connections: listOf(name),
      functions: listOf(name),
      from: timestamp.optional(),
      to: timestamp.optional(),
      search,
      limit: wholeNumber({ min: 1, max: 500 }).optional(),
      cursor,
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(operation),
        /** Null at the end. A search that found less than a page may still have one: continue with it. */
        next_cursor: z.string().nullable(),
      }),
    },
    errors: ["invalid_cursor"],
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
      of: z.enum(["integrations", "connections", "functions"]),
      prefix: name.optional(),
      /** A day before `to` unless given. */
      from: timestamp.optional(),
      to: timestamp.optional(),
      limit: wholeNumber({ min: 1, max: 100 }).optional(),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(z.strictObject({ name: z.string(), count: z.number().int() })),
      }),
    },
    errors: [],
    idempotent: false,
  }),
  getOperation: defineRoute({
    method: "GET",
    path: "/logs/operations/{id}",
    summary: "Get one operation",
    principals: ["environment"],
    scope: "environment:logs:read",
    params: z.strictObject({ id: z.uuid() }),
    success: { status: 200, schema: z.strictObject({ data: operation }) },
    errors: ["not_found"],
    idempotent: false,
  }),
  listOperationMessages: defineRoute({
    method: "GET",
    path: "/logs/operations/{id}/messages",
    summary: "List and search the messages of an operation, in their order or from the last",
    principals: ["environment"],
    scope: "environment:logs:read",
    params: z.strictObject({ id: z.uuid() }),
    query: z.strictObject({
      levels: listOf(level),
      search,
      order: z.enum(["asc", "desc"]).default("asc"),
      limit: wholeNumber({ min: 1, max: 500 }).optional(),
      cursor,
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(message),
        /** Of the messages that follow in this order; null at the end. */
        next_cursor: z.string().nullable(),
        /** Of the messages before the first one here: send it with the other `order`. */
        previous_cursor: z.string().nullable(),
      }),
    },
    errors: ["not_found", "invalid_cursor"],
    idempotent: false,
  }),
} as const;
