import * as z from "zod";
import { jsonObject } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** The catalogue: what can be integrated and what each provider asks for. Source: HTTP contract 2.5; decisions 42. */

const field = z.strictObject({
  type: z.literal("string"),
  title: z.string(),
  description: z.string().optional(),
  example: z.string().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  enum: z.array(z.string()).optional(),
  default_value: z.string().optional(),
  prefix: z.string().optional(),
  suffix: z.string().optional(),
  optional: z.boolean().optional(),
  secret: z.boolean().optional(),
  automated: z.boolean().optional(),
  order: z.number().int(),
});

const fields = z.record(z.string(), field);

const provider = z.strictObject({
  name: z.string(),
  display_name: z.string(),
  categories: z.array(z.string()),
  auth_mode: z.string(),
  docs: z.string().optional(),
  logo_url: z.string(),
  authorization_url: z.string().optional(),
  token_url: z.string().optional(),
  installation: z.string().optional(),
  proxy: jsonObject.optional(),
  connection_config: fields,
  credentials: fields,
  integration_config: fields,
});

const providerName = z
  .string()
  .max(255)
  .regex(/^[a-zA-Z0-9_-]+$/, "is not a provider name");

export const providerRoutes = {
  listProviders: defineRoute({
    method: "GET",
    path: "/providers",
    summary: "List the providers of the catalogue",
    principals: ["environment", "session"],
    scope: "any-key",
    query: z.strictObject({
      search: z
        .string()
        .max(255)
        .regex(/^[a-zA-Z0-9~:.@ _-]*$/, "use letters, digits and ~ : . @ _ - or space")
        .optional(),
    }),
    success: { status: 200, schema: z.strictObject({ data: z.array(provider) }) },
    errors: [],
    idempotent: false,
  }),
  getProvider: defineRoute({
    method: "GET",
    path: "/providers/{provider}",
    summary: "Get a provider: how it authorises and which fields it asks for",
    principals: ["environment", "session"],
    scope: "any-key",
    params: z.strictObject({ provider: providerName }),
    success: { status: 200, schema: z.strictObject({ data: provider }) },
    errors: ["not_found"],
    idempotent: false,
  }),
} as const;
