import type { RunFacts } from "@jackfield/contract/runtime";
import { getEnvironmentSettings, listEnvironmentVariables } from "#environments";
import type { EnvironmentContext } from "#platform";
import type { FunctionRun } from "./function-run.ts";

/** Output and input of an action, in bytes of JSON (specification, Limits; decisions 8 and 64). */
export const VALUE_LIMIT_BYTES = 10 * 1024 * 1024;

const loggerLevels = ["debug", "info", "warn", "error", "off"] as const;

/** What a run is told about itself, with the environment's settings as they are now. */
export async function readRunFacts(ctx: EnvironmentContext, run: FunctionRun): Promise<RunFacts> {
  const [settings, variables] = await Promise.all([
    getEnvironmentSettings(ctx),
    listEnvironmentVariables(ctx),
  ]);
  const { fn, connection, integration, lastSyncDate, softTimeoutMs } = run;
  return {
    kind: run.kind,
    functionName: fn.name,
    environmentName: ctx.environment.name,
    environmentId: ctx.environment.id,
    connectionId: connection.connectionId,
    providerConfigKey: integration.uniqueKey,
    provider: integration.provider,
    variant: run.variant ?? "base",
    operationId: run.operationId,
    loggerLevel: readLoggerLevel(variables),
    validation: settings.validation,
    outputLimitBytes: VALUE_LIMIT_BYTES,
    ...(lastSyncDate === undefined ? {} : { lastSyncDate: lastSyncDate.toISOString() }),
    ...(softTimeoutMs === undefined ? {} : { softTimeoutMs }),
  };
}

/** Functions log warnings and errors unless the environment's `SVC_LOGGER_LEVEL` says otherwise. */
function readLoggerLevel(variables: readonly { name: string; value: string }[]) {
  const wanted = variables.find(({ name }) => name === "SVC_LOGGER_LEVEL")?.value.toLowerCase();
  return loggerLevels.find((level) => level === wanted) ?? "warn";
}
