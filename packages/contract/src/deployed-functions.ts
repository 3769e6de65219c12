import * as z from "zod";
import { functionName, integrationKey, jsonObject, timestamp, wholeNumber } from "./fields.ts";
import { defineRoute } from "./route.ts";
import { camelCaseOf } from "./synonyms.ts";

/** Functions that are deployed, one by one and as a catalogue. */

const functionType = z.enum(["sync", "action", "on-event"]);

const endpoint = z.strictObject({
  method: z.string(),
  path: z.string(),
  group: z.string().nullable().optional(),
});

const deployedFunction = z.strictObject({
  id: z.number().int(),
  name: z.string(),
  type: functionType,
  version: z.string(),
  enabled: z.boolean(),
  description: z.string().optional(),
  scopes: z.array(z.string()).optional(),
  /** Name of the input's schema (actions) or the metadata's (syncs) in `json_schema`. */
  input: z.string().optional(),
  /** Names of models (syncs) or of the output's schema (actions). */
  returns: z.array(z.string()),
  json_schema: jsonObject,
  last_deployed: timestamp,
  source: z.enum(["repo", "standalone"]),
  /** Of syncs. */
  runs: z.string().optional(),
  auto_start: z.boolean().optional(),
  track_deletes: z.boolean().optional(),
  /** Of on-event functions. */
  event: z.string().optional(),
});

const place = z.strictObject({ uniqueKey: integrationKey, name: functionName });
const ofType = z.strictObject({ type: functionType.optional() });

const schemaModel = z.strictObject({
  name: z.string(),
  fields: z.array(z.strictObject({ name: z.string(), type: z.string(), optional: z.boolean() })),
});

const scriptCommon = {
  id: z.number().int(),
  name: z.string(),
  enabled: z.boolean(),
  json_schema: jsonObject,
  last_deployed: timestamp,
  is_public: z.literal(false),
  pre_built: z.literal(false),
  version: z.string(),
  source: z.enum(["repo", "standalone"]),
  attributes: jsonObject,
  features: z.array(z.string()),
  /** Empty where it takes none. */
  input: z.union([schemaModel, z.strictObject({})]),
  description: z.string(),
  scopes: z.array(z.string()),
  endpoints: z.array(endpoint),
  models: z.array(schemaModel),
};

const scriptsOfIntegration = z.strictObject({
  providerConfigKey: z.string(),
  provider: z.string(),
  syncs: z.array(
    z.strictObject({
      ...scriptCommon,
      type: z.literal("sync"),
      runs: z.string(),
      track_deletes: z.boolean(),
      auto_start: z.boolean(),
      sync_type: z.enum(["full", "incremental"]),
      returns: z.array(z.string()),
      webhookSubscriptions: z.array(z.string()),
    }),
  ),
  actions: z.array(
    z.strictObject({
      ...scriptCommon,
      type: z.literal("action"),
      /** Empty where it gives none. */
      returns: z.union([schemaModel, z.strictObject({})]),
    }),
  ),
  "on-events": z.array(z.string()),
});

const parameter = z.strictObject({
  type: z.string(),
  description: z.string(),
  items: z.strictObject({ type: z.string() }).optional(),
});

const tools = z.strictObject({
  data: z.array(
    z.strictObject({
      name: z.string(),
      description: z.string(),
      parameters: z.strictObject({
        type: z.literal("object"),
        properties: z.record(z.string(), parameter),
        required: z.array(z.string()),
      }),
    }),
  ),
});

export const deployedFunctionRoutes = {
  listFunctions: defineRoute({
    method: "GET",
    path: "/integrations/{uniqueKey}/functions",
    summary: "List the deployed functions of an integration, by name",
    principals: ["environment"],
    scope: "environment:functions:list",
    params: z.strictObject({ uniqueKey: integrationKey }),
    query: z.strictObject({
      type: functionType.optional(),
      search: z.string().max(255).optional(),
      page: wholeNumber({ min: 0, max: 1_000_000 }).optional(),
      limit: wholeNumber({ min: 1, max: 100 }).optional(),
    }),
    success: {
      status: 200,
      schema: z.strictObject({
        data: z.array(deployedFunction),
        pagination: z.strictObject({
          total: z.number().int(),
          page: z.number().int(),
          limit: z.number().int(),
        }),
      }),
    },
    errors: ["not_found"],
    idempotent: false,
  }),
  getFunction: defineRoute({
    method: "GET",
    path: "/integrations/{uniqueKey}/functions/{name}",
    summary: "Get a deployed function; `type` is needed where the name is not of one type only",
    principals: ["environment"],
    scope: "environment:functions:read",
    params: place,
    query: ofType,
    success: { status: 200, schema: z.strictObject({ data: deployedFunction }) },
    errors: ["not_found", "ambiguous_function"],
    idempotent: false,
  }),
  getFunctionCode: defineRoute({
    method: "GET",
    path: "/integrations/{uniqueKey}/functions/{name}/code",
    summary: "Get the source of a deployed function as its author wrote it",
    principals: ["environment"],
    scope: "environment:functions:read",
    params: place,
    query: ofType,
    success: { status: 200, schema: z.strictObject({ type: functionType, code: z.string() }) },
    errors: ["not_found", "ambiguous_function"],
    idempotent: false,
  }),
  updateFunction: defineRoute({
    method: "PATCH",
    path: "/integrations/{uniqueKey}/functions/{name}",
    summary: "Enable or disable a deployed function; the next deployment leaves it so",
    principals: ["environment"],
    scope: "environment:functions:update",
    params: place,
    query: ofType,
    body: z.strictObject({ enabled: z.boolean() }),
    success: { status: 200, schema: z.strictObject({ data: deployedFunction }) },
    errors: ["not_found", "ambiguous_function"],
    idempotent: false,
  }),
  deleteFunction: defineRoute({
    method: "DELETE",
    path: "/integrations/{uniqueKey}/functions/{name}",
    summary: "Remove a function that was deployed by itself",
    principals: ["environment"],
    scope: "environment:functions:delete",
    params: place,
    query: z.strictObject({ type: functionType }),
    success: {
      status: 200,
      schema: z.strictObject({ data: z.strictObject({ success: z.literal(true) }) }),
    },
    errors: ["not_found", "function_managed_by_deploy", "concurrent_deployment"],
    idempotent: false,
  }),
  getScriptsConfig: defineRoute({
    method: "GET",
    path: "/scripts/config",
    summary: "All deployed functions, by integration or as tools for a language model",
    principals: ["environment"],
    scope: "environment:integrations:list_functions",
    query: z.strictObject({
      format: z.enum(["svc", "llm"]).default("svc"),
      provider_config_key: integrationKey.optional(),
      page: wholeNumber({ min: 0, max: 1_000_000 }).optional(),
      limit: wholeNumber({ min: 1, max: 1000 }).optional(),
    }),
    synonyms: { query: camelCaseOf("provider_config_key") },
    success: { status: 200, schema: z.union([z.array(scriptsOfIntegration), tools]) },
    errors: ["not_found"],
    idempotent: false,
  }),
} as const;
