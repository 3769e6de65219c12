import type { deployedFunctionRoutes, RouteOutput } from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import { findIntegrationById, getIntegration, type Integration } from "#integrations";
import type { DeployedAction, DeployedFunction, DeployedSync } from "../deployed-function.ts";
import { listFunctionsPage } from "../store.ts";
import { nameActionTools, nameAllTools } from "../tools/list-tools.ts";
import { presentForApi } from "../tools/present-for-api.ts";
import type { ToolApi } from "../tools/present-tool-for.ts";
import { presentTool } from "./present-tools.ts";
import { toSchemaModel } from "./schema-model.ts";

type Answer = RouteOutput<typeof deployedFunctionRoutes.getScriptsConfig>;

interface Wanted {
  readonly format: "svc" | "llm" | "tools";
  /** For `tools`: whose form they have. */
  readonly api?: ToolApi;
  /** Which functions are tools in the format `llm`. */
  readonly include?: "all" | "actions";
  readonly integrationKey: string | undefined;
  /** Functions on a page; all of them without it. */
  readonly limit: number | undefined;
  /** From 0. */
  readonly page: number;
}

const DEFAULT_LIMIT = 1000;

/** Functions of the environment, grouped by integration or as one list of tools. */
export async function presentScripts(
  ctx: EnvironmentContext,
  { format, integrationKey, api = "mcp", include = "all", ...wanted }: Wanted,
): Promise<Answer> {
  const integration =
    integrationKey === undefined ? undefined : await getIntegration(ctx, integrationKey);
  const limit = wanted.limit ?? (wanted.page > 0 ? DEFAULT_LIMIT : undefined);
  const all = await listFunctionsPage(ctx.db, ctx.environment.id, {
    integrationId: integration?.id,
    limit,
    offset: wanted.page * (limit ?? 0),
  });
  if (format === "llm") {
    const shown = include === "all" ? all : all.filter(({ type }) => type === "action");
    return { data: await presentTools(ctx, shown) };
  }
  if (format === "tools") return presentForApi(await nameActionTools(ctx, all), api);
  const byIntegration = Map.groupBy(all, ({ integrationId }) => integrationId);
  const groups = await Promise.all(
    [...byIntegration].map(async ([id, functions]) => {
      const integration = await findIntegrationById(ctx, id);
      return integration === undefined ? [] : [presentGroup(integration, functions)];
    }),
  );
  return groups.flat().toSorted((a, b) => (a.providerConfigKey < b.providerConfigKey ? -1 : 1));
}

/** Tools of a page, under the names that they have on any page. */
async function presentTools(ctx: EnvironmentContext, page: readonly DeployedFunction[]) {
  const { names, keys } = await nameAllTools(ctx, page);
  return page.flatMap((fn) => {
    const tool = presentTool(fn);
    const integration = keys.get(fn.integrationId);
    if (tool === undefined || integration === undefined) return [];
    return [{ ...tool, name: names.get(fn.id) ?? tool.name, integration }];
  });
}

function presentGroup(
  { uniqueKey, provider }: Integration,
  functions: readonly DeployedFunction[],
): Extract<Answer, unknown[]>[number] {
  return {
    providerConfigKey: uniqueKey,
    provider,
    syncs: functions.filter((fn) => fn.type === "sync").map(presentSync),
    actions: functions.filter((fn) => fn.type === "action").map(presentAction),
    "on-events": functions.filter((fn) => fn.type === "on-event").map(({ name }) => name),
  };
}

function presentSync(fn: DeployedSync) {
  const { definition } = fn;
  const { models, metadataModel, jsonSchema } = definition;
  return {
    ...presentCommon(fn),
    type: "sync" as const,
    runs: definition.frequency,
    track_deletes: definition.trackDeletes,
    auto_start: definition.autoStart,
    sync_type: definition.syncType,
    returns: [...models],
    webhookSubscriptions: [...definition.webhookSubscriptions],
    input:
      metadataModel === undefined ? {} : toSchemaModel(metadataModel, jsonSchema[metadataModel]),
    models: models.map((name) => toSchemaModel(name, jsonSchema[name])),
  };
}

function presentAction(fn: DeployedAction) {
  const { input, models, jsonSchema } = fn.definition;
  const [output] = models;
  const named = input === undefined ? models : [input, ...models];
  return {
    ...presentCommon(fn),
    type: "action" as const,
    returns: output === undefined ? {} : toSchemaModel(output, jsonSchema[output]),
    input: input === undefined ? {} : toSchemaModel(input, jsonSchema[input]),
    models: named.map((name) => toSchemaModel(name, jsonSchema[name])),
  };
}

function presentCommon(fn: DeployedSync | DeployedAction) {
  const { definition } = fn;
  return {
    id: fn.id,
    name: fn.name,
    enabled: fn.enabled,
    json_schema: { definitions: definition.jsonSchema },
    last_deployed: fn.deployedAt.toISOString(),
    is_public: false as const,
    pre_built: false as const,
    version: fn.version,
    source: fn.source,
    attributes: { ...definition.attributes },
    features: [...definition.features],
    description: definition.description ?? "",
    scopes: [...definition.scopes],
    endpoints: definition.endpoints.map((endpoint) => ({ ...endpoint })),
  };
}
