import * as z from "zod";
import { jsonObject, timestamp } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** Providers of an environment's own, in the schema of the catalogue. */

const slug = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[a-zA-Z0-9_-]+$/, "may hold letters, digits, _ and - only");

const params = z.strictObject({ slug });

const customProvider = z.strictObject({
  slug,
  /** Raised by each change; integrations stay with the version that they were made with. */
  version: z.number().int().min(1),
  /** Whether it stands in for a provider of the catalogue. */
  replaces_built_in: z.boolean(),
  /** The entry as it was given. */
  entry: jsonObject,
  created_at: timestamp,
  updated_at: timestamp,
});

const one = { status: 200, schema: z.strictObject({ data: customProvider }) } as const;

export const customProviderRoutes = {
  listCustomProviders: defineRoute({
    method: "GET",
    path: "/custom-providers",
    summary: "List the environment's own providers",
    principals: ["environment"],
    scope: "environment:providers:read",
    success: { status: 200, schema: z.strictObject({ data: z.array(customProvider) }) },
    errors: [],
    idempotent: false,
  }),
  getCustomProvider: defineRoute({
    method: "GET",
    path: "/custom-providers/{slug}",
    summary: "Get one of the environment's own providers",
    principals: ["environment"],
    scope: "environment:providers:read",
    params,
    success: one,
    errors: ["not_found"],
    idempotent: false,
  }),
  createCustomProvider: defineRoute({
    method: "POST",
    path: "/custom-providers",
    summary: "Add a provider to the environment; its `id` is what integrations name",
    principals: ["environment"],
    scope: "environment:providers:write",
    body: z.strictObject({
      entry: jsonObject,
      /** Needed where the id is one of the catalogue: new integrations take this entry instead. */
      replaces_built_in: z.boolean().optional(),
    }),
    success: one,
    errors: ["resource_capped"],
    idempotent: true,
  }),
  updateCustomProvider: defineRoute({
    method: "PATCH",
    path: "/custom-providers/{slug}",
    summary: "Replace the entry of a custom provider by a new version",
    principals: ["environment"],
    scope: "environment:providers:write",
    params,
    body: z.strictObject({ entry: jsonObject }),
    success: one,
    errors: ["not_found"],
    idempotent: false,
  }),
  deleteCustomProvider: defineRoute({
    method: "DELETE",
    path: "/custom-providers/{slug}",
    summary: "Delete a custom provider; integrations keep the version that they have",
    principals: ["environment"],
    scope: "environment:providers:write",
    params,
    success: { status: 200, schema: z.strictObject({ success: z.literal(true) }) },
    errors: ["not_found"],
    idempotent: false,
  }),
  validateProvider: defineRoute({
    method: "POST",
    path: "/providers/validate",
    summary: "Check an entry, or a file of a family as YAML, without keeping it",
    principals: ["environment"],
    scope: "environment:providers:read",
    body: z
      .strictObject({
        entry: jsonObject.optional(),
        /** Text of a provider file. */
        file: z.string().max(16_384).optional(),
      })
      .refine((body) => (body.entry === undefined) !== (body.file === undefined), {
        message: "needs either an entry or a file",
      }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.strictObject({
          valid: z.boolean(),
          /** Ids of the entries without a fault. */
          providers: z.array(z.string()),
          /** One line each, with entry, path and reason. */
          faults: z.array(z.string()),
        }),
      }),
    },
    errors: [],
    idempotent: false,
  }),
} as const;
