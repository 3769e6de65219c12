import type { deployedFunctionRoutes, RouteOutput } from "@jackfield/contract";
import { getIntegrationById, type Integration } from "#integrations";
import { AppError, type EnvironmentContext } from "#platform";
import type { DeployedAction, DeployedFunction, DeployedSync } from "../deployed-function.ts";
import { listAllFunctions } from "../store.ts";
import { presentTool } from "./present-tools.ts";
import { toSchemaModel } from "./schema-model.ts";

type Answer = RouteOutput<typeof deployedFunctionRoutes.getScriptsConfig>;

/** All functions of the environment, grouped by integration or as one list of tools. */
export async function presentScripts(
  ctx: EnvironmentContext,
  format: "svc" | "llm",
): Promise<Answer> {
  const all = await listAllFunctions(ctx.db, ctx.environment.id);
  if (format === "llm") {
    return { data: all.map(presentTool).filter((tool) => tool !== undefined) };
  }
  const byIntegration = Map.groupBy(all, ({ integrationId }) => integrationId);
  const groups = await Promise.all(
    [...byIntegration].map(async ([id, functions]) => {
      const integration = await findLive(ctx, id);
      return integration === undefined ? [] : [presentGroup(integration, functions)];
    }),
  );
  return groups.flat().toSorted((a, b) => (a.providerConfigKey < b.providerConfigKey ? -1 : 1));
}

/** Undefined for an integration that was deleted since the functions were read. */
async function findLive(ctx: EnvironmentContext, id: number): Promise<Integration | undefined> {
  try {
    return await getIntegrationById(ctx, id);
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return undefined;
    throw error;
  }
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
      metadataModel === undefined ? null : toSchemaModel(metadataModel, jsonSchema[metadataModel]),
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
    returns: output === undefined ? null : toSchemaModel(output, jsonSchema[output]),
    input: input === undefined ? null : toSchemaModel(input, jsonSchema[input]),
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
