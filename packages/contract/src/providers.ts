import * as z from "zod";
import { jsonObject, providerName } from "./fields.ts";
import { defineRoute } from "./route.ts";

/** The catalogue: what can be integrated and what each provider asks for. */

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
  /** Taken where it is given, asked of nobody. */
  hidden: z.boolean().optional(),
  order: z.number().int(),
});

const fields = z.record(z.string(), field);

const provider = z.strictObject({
  name: z.string(),
  display_name: z.string(),
  /** The product that the provider belongs to: those of one family are a choice of how to authorise. */
  family: z.string(),
  family_name: z.string(),
  /** Among the products that are asked for most. */
  popular: z.boolean().optional(),
  /** Nobody has compared the entry with a second source: try it before you build on it. */
  unverified: z.boolean().optional(),
  /** Day on which the entry was last compared with its sources. */
  checked_at: z.string().optional(),
  deprecated: z.strictObject({ reason: z.string(), replaced_by: z.string().optional() }).optional(),
  /** Of the environment's own provider: the version of its entry. */
  custom_version: z.number().int().optional(),
  categories: z.array(z.string()),
  auth_mode: z.string(),
  docs: z.string(),
  /** Where end users read how to get the credentials. */
  docs_connect: z.string().optional(),
  logo_url: z.string(),
  authorization_url: z.string().optional(),
  token_url: z.string().optional(),
  installation: z.string().optional(),
  /** What stands between scopes in the request; for those who build the address themselves. */
  scope_separator: z.string().optional(),
  /** Scopes that are requested whatever the integration asks for. */
  default_scopes: z.array(z.string()).optional(),
  /** A few scopes as the vendor writes them. */
  example_scopes: z.array(z.string()).optional(),
  /** Whether whoever connects goes to the provider's own pages, or fills in the fields of `credentials`. */
  connect_method: z.enum(["browser", "form"]),
  /** What to register at the provider, where browsers are sent there; only in the answer for one provider. */
  callback_url: z.string().optional(),
  proxy: jsonObject.optional(),
  connection_config: fields,
  credentials: fields,
  integration_config: fields,
});

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
        .regex(/^[a-zA-Z0-9~:.@ _-]*$/, "may hold letters, digits, spaces and ~ : . @ _ - only")
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
  getCatalogue: defineRoute({
    method: "GET",
    path: "/providers.json",
    summary:
      "The catalogue by provider id, for anyone: entries of the installation, none of customers",
    principals: ["public"],
    scope: "public",
    success: { status: 200, schema: z.record(z.string(), provider) },
    errors: [],
    idempotent: false,
  }),
  getProviderLogo: defineRoute({
    method: "GET",
    path: "/images/template-logos/{file}",
    summary: "A provider's logo as SVG, or its letters where it has none",
    principals: ["public"],
    scope: "public",
    params: z.strictObject({
      file: z
        .string()
        .max(255)
        .regex(/^[a-zA-Z0-9_-]+\.svg$/, "must be a provider's id and .svg"),
    }),
    query: z.strictObject({
      /** Whose letters are drawn where the provider has no icon: an integration's name. */
      name: z.string().min(1).max(255).optional(),
    }),
    success: { status: 200 },
    errors: [],
    idempotent: false,
    raw: true,
  }),
} as const;
