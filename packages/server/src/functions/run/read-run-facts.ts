import type { RunFacts } from "@jackfield/contract/runtime";
import { getEnvironmentSettings, listEnvironmentVariables } from "#environments";
import type { EnvironmentContext } from "#foundation";
import { defineCache } from "#foundation/cache";
import { paginationOf } from "#integrations";
import type { FunctionRun } from "./function-run.ts";

const loggerLevels = ["debug", "info", "warn", "error", "off"] as const;

/** Share of a run's time in which it may make calls: what ends at one has its line in the author's file. */
const CALLS_SHARE = 0.95;

/** The facts that a run gets about itself, with the environment's settings as they are now. */
export async function readRunFacts(ctx: EnvironmentContext, run: FunctionRun): Promise<RunFacts> {
  const [settings, loggerLevel] = await Promise.all([
    getEnvironmentSettings(ctx),
    getCachedLoggerLevel(ctx),
  ]);
  const { fn, connection, integration, lastSyncDate, softTimeoutMs } = run;
  const { traceparent } = ctx.trace;
  return {
    kind: run.kind,
    functionName: fn.name,
    environmentName: ctx.environment.name,
    environmentId: ctx.environment.id,
    accountId: ctx.environment.accountId,
    connectionId: connection.connectionId,
    ...(connection.id === undefined ? {} : { connectionNumber: connection.id }),
    providerConfigKey: integration.uniqueKey,
    provider: integration.provider,
    variant: run.variant ?? "base",
    operationId: run.operationId,
    runId: run.runId,
    ...(run.syncId === undefined ? {} : { syncId: run.syncId }),
    ...(fn.type === "on-event" ? {} : { attributes: { ...fn.definition.attributes } }),
    pagination: paginationOf(integration) ?? {},
    loggerLevel,
    validation: settings.validation,
    callTimeoutMs: run.timeoutMs * CALLS_SHARE,
    outputLimitBytes: ctx.settings.actionValueLimitBytes,
    ...(lastSyncDate === undefined ? {} : { lastSyncDate: lastSyncDate.toISOString() }),
    ...(softTimeoutMs === undefined ? {} : { softTimeoutMs }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

const cached = defineCache<RunFacts["loggerLevel"]>({ maxEntries: 1000 });

async function getCachedLoggerLevel(ctx: EnvironmentContext): Promise<RunFacts["loggerLevel"]> {
  const { id } = ctx.environment;
  const load = async () => readLoggerLevel(await listEnvironmentVariables(ctx));
  const found = await cached.find(ctx, id, async () => ({
    value: await load(),
    rows: [`environment_variables ${id}`],
  }));
  return found ?? (await load());
}

/** Functions log warnings and errors unless the environment's `SVC_LOGGER_LEVEL` says otherwise. */
function readLoggerLevel(variables: readonly { name: string; value: string }[]) {
  const wanted = variables.find(({ name }) => name === "SVC_LOGGER_LEVEL")?.value.toLowerCase();
  return loggerLevels.find((level) => level === wanted) ?? "warn";
}
