import * as z from "zod";
import { defineRoute } from "../route.ts";

/** Liveness, readiness and the description of the API itself. */
export const installationRoutes = {
  getStartPage: defineRoute({
    method: "GET",
    path: "/",
    summary: "A page for people: whether the platform is ready, where it is described, first steps",
    principals: ["public"],
    scope: "public",
    success: { status: 200 },
    errors: [],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
  getHealth: defineRoute({
    method: "GET",
    path: "/health",
    summary: "Whether the process is alive; does not ask the database",
    principals: ["public"],
    scope: "public",
    success: {
      status: 200,
      schema: z.strictObject({
        result: z.literal("ok").describe("Always `ok`: the process answers."),
        version: z.string().meta({
          description: "Release of the server.",
          examples: ["0.2.0"],
        }),
      }),
    },
    errors: [],
    idempotent: false,
  }),
  getReadiness: defineRoute({
    method: "GET",
    path: "/ready",
    summary: "Whether the process can serve: 503 while starting, stopping or without database",
    principals: ["public"],
    scope: "public",
    success: {
      status: 200,
      schema: z.strictObject({
        result: z
          .literal("ok")
          .describe("Always `ok`: the process can serve. Otherwise the answer is 503."),
        degraded: z
          .array(z.enum(["logs", "replicas", "workers"]))
          .optional()
          .meta({
            description:
              "What is away while the process serves without it: `logs`, the database of the logs, whose rows wait, `replicas`, of which one or more are omitted, or `workers` of a Citus cluster: what they hold is answered with 503. Absent while nothing is.",
            examples: [["logs"]],
          }),
        unreachable_workers: z
          .number()
          .int()
          .min(1)
          .optional()
          .meta({
            description:
              "How many workers of a Citus cluster the coordinator cannot reach; the log names them. Absent while it reaches all.",
            examples: [1],
          }),
        // Only there while a copy waits for `jackfield resume`.
        quarantined_since: z.iso
          .datetime()
          .optional()
          .meta({
            description:
              "Since when this copy of an installation waits for `jackfield resume`; absent otherwise.",
            examples: ["2026-01-31T12:00:00.000Z"],
          }),
      }),
    },
    errors: ["overloaded"],
    idempotent: false,
  }),
  getOpenApi: defineRoute({
    method: "GET",
    path: "/openapi.json",
    summary: "This API as OpenAPI 3.1",
    principals: ["public"],
    scope: "public",
    success: { status: 200, schema: z.record(z.string(), z.unknown()) },
    errors: [],
    idempotent: false,
  }),
  getDocs: defineRoute({
    method: "GET",
    path: "/docs/{path+}",
    summary: "The guides as a site, and each of its pages as Markdown",
    principals: ["public"],
    scope: "public",
    success: { status: 200 },
    errors: ["not_found"],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
  getApiPage: defineRoute({
    method: "GET",
    path: "/docs/api",
    summary: "This API as a page to read",
    principals: ["public"],
    scope: "public",
    success: { status: 200 },
    errors: [],
    idempotent: false,
    raw: true,
    sessions: "refused",
  }),
} as const;
