import * as z from "zod";
import {
  functionName,
  functionType,
  integrationKey,
  jsonObject,
  success,
  timestamp,
  wholeNumber,
} from "../fields.ts";
import { defineRoute } from "../route.ts";
import { camelCaseOf } from "../synonyms.ts";
import { functionEgressRoutes } from "./egress/function-egress.ts";
import { functionListRoutes } from "./function-lists.ts";
import { deployedFunction } from "./function-shape.ts";

/** Functions that are deployed, one by one and as a catalogue. */

const endpoint = z.strictObject({
  method: z
    .string()
    .meta({ description: "HTTP method of the path under `/v1`.", examples: ["GET"] }),
  path: z.string().meta({
    description: "Path under `/v1` that answers for the function.",
    examples: ["/contacts"],
  }),
  group: z
    .string()
    .nullable()
    .optional()
    .describe(
      "Name under which endpoints are grouped in documentation; null or absent if there is none.",
    ),
});

const place = z.strictObject({
  uniqueKey: integrationKey.describe("Integration of the function."),
  name: functionName.describe("Name of the function."),
});
const ofType = z.strictObject({
  type: functionType
    .optional()
    .describe("Type of the function; required where functions of several types have the name."),
});

const schemaModel = z
  .strictObject({
    name: z.string().meta({ description: "Name of the model.", examples: ["Contact"] }),
    fields: z
      .array(
        z.strictObject({
          name: z.string().describe("Name of the field."),
          type: z.string().describe("Its type in short, such as `string` or `Address[]`."),
          optional: z.boolean().describe("Whether it may be absent."),
        }),
      )
      .describe("Its fields on the first level."),
  })
  .meta({ id: "SchemaModel", description: "A model, field by field." });

const scriptCommon = {
  id: z
    .number()
    .int()
    .describe("Number of the function, unique in the installation; new versions keep it."),
  name: z.string().describe("Its name."),
  enabled: z.boolean().describe("Whether it runs."),
  json_schema: jsonObject.describe(
    "JSON Schema of its input, output and models, by name under `definitions`.",
  ),
  last_deployed: timestamp.describe("When this version was deployed."),
  is_public: z.literal(false).describe("Always `false`: there are no shared functions."),
  pre_built: z.literal(false).describe("Always `false`: there are no ready-made functions."),
  version: z.string().describe("Version: the author's, or a number that each change raises by 1."),
  source: z
    .enum(["repo", "standalone"])
    .describe(
      "`repo`: deployed with its project; `standalone`: deployed individually, from source.",
    ),
  attributes: jsonObject.describe("Data that the author attached to the function."),
  features: z.array(z.string()).describe("What the function uses, such as `checkpoints`."),
  input: z
    .union([schemaModel, z.strictObject({})])
    .describe(
      "Model of its input (actions) or of the connection's metadata (syncs); an empty object without one.",
    ),
  description: z
    .string()
    .describe("What the author says that it does; empty without a description."),
  scopes: z.array(z.string()).describe("OAuth scopes that it needs."),
  endpoints: z.array(endpoint).describe("Deprecated paths under `/v1` that answer for it."),
  models: z.array(schemaModel).describe("Its models; for an action those of input and output."),
};

const scriptsOfIntegration = z
  .strictObject({
    providerConfigKey: z
      .string()
      .meta({ description: "Key of the integration.", examples: ["github"] }),
    provider: z.string().meta({ description: "Id of its provider.", examples: ["github"] }),
    syncs: z
      .array(
        z.strictObject({
          ...scriptCommon,
          type: z.literal("sync").describe("Always `sync`."),
          runs: z.string().describe("How often it runs, such as `5 minutes`."),
          track_deletes: z
            .boolean()
            .describe("Whether records that a full run did not save again are marked as deleted."),
          auto_start: z.boolean().describe("Whether it starts automatically for a new connection."),
          sync_type: z
            .enum(["full", "incremental"])
            .describe(
              "`full`: each run saves all records; `incremental`: a run saves what has changed since the last.",
            ),
          returns: z.array(z.string()).describe("Names of the models that it writes."),
          webhookSubscriptions: z
            .array(z.string())
            .describe("Types of the provider's webhooks that it handles; `*` for all."),
        }),
      )
      .describe("Its syncs."),
    actions: z
      .array(
        z.strictObject({
          ...scriptCommon,
          type: z.literal("action").describe("Always `action`."),
          returns: z
            .union([schemaModel, z.strictObject({})])
            .describe("Model of its output; an empty object where it gives none."),
        }),
      )
      .describe("Its actions."),
    "on-events": z.array(z.string()).describe("Names of its on-event functions."),
  })
  .meta({
    id: "FunctionsOfIntegration",
    description: "The deployed functions of one integration.",
  });

const parameter = z
  .looseObject({
    type: z.string().describe("Its JSON type; the first that is not null where there are several."),
    description: z.string().describe("What the schema says about it; empty where it says nothing."),
  })
  .meta({ id: "ToolParameter", description: "A field of the input of a tool." });

const tools = z
  .strictObject({
    data: z
      .array(
        z.strictObject({
          name: z
            .string()
            .describe(
              "Name of the function; with its integration in front where several functions share it. At most 64 characters.",
            ),
          integration: integrationKey.describe("Integration of the function."),
          description: z.string().describe("What the function does."),
          parameters: z
            .looseObject({
              type: z.literal("object").describe("Always `object`."),
              properties: z
                .record(z.string(), parameter)
                .describe("Fields of the input, by name; none for a sync."),
              required: z.array(z.string()).describe("Names of the fields that must be sent."),
            })
            .describe(
              "Its input as JSON Schema without references. An input that is no object is in the field `value`; one of several objects has `oneOf` or `anyOf`.",
            ),
        }),
      )
      .describe("The tools: each enabled action and sync."),
  })
  .meta({ id: "Tools", description: "Functions as tools of a language model." });

const apiTools = z
  .strictObject({
    data: z
      .array(jsonObject)
      .describe("The tools as the API takes them in a request, each enabled action."),
    calls: z
      .record(
        z.string(),
        z.strictObject({
          provider_config_key: integrationKey.describe("Integration of the action."),
          action_name: z.string().describe("Name of the action."),
          input: z
            .enum(["arguments", "value", "none"])
            .describe(
              "What the action takes of a call: its `arguments`, their field `value`, or nothing.",
            ),
        }),
      )
      .describe("By the name of the tool: what `POST /action/trigger` is called with."),
    tokens: z.number().int().describe("About how many tokens the tools take in a model's context."),
  })
  .meta({ id: "ApiTools", description: "Actions as tools, in the form of an API." });

export const deployedFunctionRoutes = {
  listFunctions: defineRoute({
    method: "GET",
    path: "/integrations/{uniqueKey}/functions",
    summary: "List the deployed functions of an integration, by name",
    principals: ["environment"],
    scope: "environment:functions:list",
    params: z.strictObject({
      uniqueKey: integrationKey.describe("Integration whose functions are listed."),
    }),
    query: z.strictObject({
      type: functionType.optional().describe("Only functions of this type."),
      search: z
        .string()
        .max(255)
        .optional()
        .describe(
          "Only functions whose name contains this text; upper and lower case are the same.",
        ),
      page: wholeNumber({ min: 0, max: 1_000_000 })
        .optional()
        .describe("Number of the page, from 0."),
      limit: wholeNumber({ min: 1, max: 100 })
        .optional()
        .describe("Functions on a page, 1 to 100. Default 20."),
    }),
    success: {
      status: 200,
      schema: z
        .strictObject({
          data: z.array(deployedFunction).describe("The page of functions, by name."),
          pagination: z
            .strictObject({
              total: z.number().int().describe("Functions in the whole list."),
              page: z.number().int().describe("Number of this page, from 0."),
              limit: z.number().int().describe("Most functions on a page."),
            })
            .describe("Which part of the list this is."),
        })
        .meta({ id: "FunctionPage" }),
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
    success: {
      status: 200,
      schema: z.strictObject({ data: deployedFunction.describe("The function.") }),
    },
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
    success: {
      status: 200,
      schema: z.strictObject({
        type: functionType.describe("Type of the function."),
        code: z.string().describe("Its TypeScript source."),
      }),
    },
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
    body: z.strictObject({
      enabled: z.boolean().meta({
        description: "`false` stops the function from running, `true` lets it run again.",
        examples: [false],
      }),
    }),
    success: {
      status: 200,
      schema: z.strictObject({ data: deployedFunction.describe("The function after the change.") }),
    },
    errors: ["not_found", "ambiguous_function"],
    idempotent: false,
  }),
  deleteFunction: defineRoute({
    method: "DELETE",
    path: "/integrations/{uniqueKey}/functions/{name}",
    summary: "Remove a function that was deployed individually",
    principals: ["environment"],
    scope: "environment:functions:delete",
    params: place,
    query: z.strictObject({
      type: functionType.describe(
        "Type of the function to remove; only a sync or an action can be removed individually.",
      ),
    }),
    success: {
      status: 200,
      schema: z.strictObject({ data: success.describe("Confirms the removal.") }),
    },
    errors: ["not_found", "function_managed_by_deploy", "concurrent_deployment", "canary_running"],
    idempotent: false,
  }),
  getScriptsConfig: defineRoute({
    method: "GET",
    path: "/scripts/config",
    summary: "All deployed functions, by integration or as tools for a language model",
    principals: ["environment"],
    scope: "environment:integrations:list_functions",
    query: z.strictObject({
      format: z
        .enum(["svc", "llm", "tools"])
        .default("svc")
        .describe(
          "`svc`: by integration; `llm`: as tools of a language model; `tools`: as tools in the form of `api`.",
        ),
      api: z
        .enum(["openai", "anthropic", "mcp"])
        .default("mcp")
        .describe(
          "For `tools`: the Responses API of OpenAI, the Messages API of Anthropic, or the Model Context Protocol.",
        ),
      include: z
        .enum(["all", "actions"])
        .default("all")
        .describe("For `llm`: whether syncs, which no model can call, are in the list."),
      provider_config_key: integrationKey
        .optional()
        .describe("Only functions of this integration."),
      page: wholeNumber({ min: 0, max: 1_000_000 })
        .optional()
        .describe("Number of the page, from 0."),
      limit: wholeNumber({ min: 1, max: 1000 })
        .optional()
        .describe(
          "Functions on a page, 1 to 1,000. Default: all on one page; 1,000 where `page` is above 0.",
        ),
    }),
    synonyms: { query: camelCaseOf("provider_config_key") },
    success: { status: 200, schema: z.union([z.array(scriptsOfIntegration), apiTools, tools]) },
    errors: ["not_found"],
    idempotent: false,
  }),
  ...functionListRoutes,
  ...functionEgressRoutes,
} as const;
