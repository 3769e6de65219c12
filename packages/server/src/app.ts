import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { installationRoutes, routes } from "@jackfield/contract";
import { actionHandlers } from "#actions";
import type { Config } from "#config";
import { connectHandlers, listAllowedIntegrations } from "#connect";
import {
  connectionCreated,
  connectionDeleted,
  connectionHandlers,
  connectionRuntime,
  countConnections,
  deleteConnectionsOf,
  finishRefreshes,
} from "#connections";
import { environmentHandlers, environmentRuntime } from "#environments";
import {
  answerRuntimeCalls,
  connectionCounts,
  deleteFunctionsOf,
  functionHandlers,
  functionRuntime,
  functionsDeployed,
} from "#functions";
import { createInstallationHandlers } from "#installation";
import { allowedIntegrations, integrationDeleting, integrationHandlers } from "#integrations";
import { ensureLogPartitions, flushLogs } from "#logs";
import { type EnvironmentContext, type HookAnswer, type InstallationContext, on } from "#platform";
import { isDatabaseReady } from "#platform/db";
import { createHttpServer, type RouteHandlers } from "#platform/http";
import { proxyHandlers, proxyRuntime } from "#proxy";
import {
  deleteRecordsOfConnection,
  recordHandlers,
  recordRuntime,
  recordsChanged,
  recordTaskHandlers,
  recordTasks,
} from "#records";
import {
  countChanges,
  createSyncsOfConnection,
  createSyncsOfFunctions,
  deleteSyncsOfConnection,
  dueSyncs,
  syncHandlers,
  syncRuntime,
  syncTaskHandlers,
  syncTasks,
} from "#syncs";
import { bindTasks, startWorkers } from "#tasks";
import { createDeliveryWork } from "#webhooks-out";
import { contextOfRequest } from "./http-context.ts";

/** Who reacts to what: the only place that ties slices upwards. */
export const hookAnswers: readonly HookAnswer<EnvironmentContext>[] = [
  on(integrationDeleting, deleteConnectionsOf),
  on(integrationDeleting, deleteFunctionsOf),
  on(allowedIntegrations, listAllowedIntegrations),
  on(connectionCreated, createSyncsOfConnection),
  on(connectionDeleted, deleteSyncsOfConnection),
  on(connectionDeleted, deleteRecordsOfConnection),
  on(connectionCounts, countConnections),
  on(functionsDeployed, createSyncsOfFunctions),
  on(recordsChanged, countChanges),
  answerRuntimeCalls({
    ...functionRuntime,
    ...environmentRuntime,
    ...connectionRuntime,
    ...proxyRuntime,
    ...recordRuntime,
    ...syncRuntime,
  }),
];

export interface App extends AsyncDisposable {
  /** Opens the address; resolves to the port. */
  listen(address: { host: string; port: number }): Promise<number>;
}

export interface AppOptions {
  readonly ctx: InstallationContext;
  readonly config: Config;
  /** The database without a transaction pooler. */
  readonly directUrl: string;
}

/** What the roles of this process ask for: routes, workers, loops. Disposing it drains them. */
export async function createApp({ ctx, config, directUrl }: AppOptions): Promise<App> {
  await using stack = new AsyncDisposableStack();
  const stopping = new AbortController();
  await ensureLogPartitions(ctx);
  stack.defer(async () => await flushLogs(ctx));
  stack.defer(async () => await finishRefreshes(ctx));
  if (config.roles.includes("worker")) stack.use(await startWork(ctx, config, directUrl));
  const server = await startRoutes(ctx, config, stopping.signal);
  stack.defer(async () => await server.close());
  stack.defer(() => stopping.abort());
  const running = stack.move();
  return {
    async listen(address) {
      await server.listen(address);
      const bound = server.server.address();
      return typeof bound === "object" && bound !== null ? bound.port : address.port;
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

async function startRoutes(ctx: InstallationContext, config: Config, stopping: AbortSignal) {
  const { version } = createRequire(import.meta.url)("../package.json");
  const readiness = async () => {
    if (stopping.aborted) return "the process is stopping";
    return (await isDatabaseReady(ctx.db)) ? undefined : "the database does not answer";
  };
  const handlers = {
    ...createInstallationHandlers({ readiness, version }),
    ...environmentHandlers,
    ...integrationHandlers,
    ...connectionHandlers,
    ...connectHandlers,
    ...proxyHandlers,
    ...functionHandlers,
    ...syncHandlers,
    ...recordHandlers,
    ...actionHandlers,
  } satisfies RouteHandlers<typeof routes>;
  return await createHttpServer({
    routes: config.roles.includes("api") ? routes : installationRoutes,
    handlers,
    authorize: async (request, route, signal) =>
      await contextOfRequest({ ...ctx, signal }, request, route),
    bodyLimitBytes: config.bodyLimitBytes,
    log: ctx.log,
    newErrorId: randomUUID,
  });
}

async function startWork(
  ctx: InstallationContext,
  config: Config,
  connectionString: string,
): Promise<AsyncDisposable> {
  return await startWorkers({
    connectionString,
    pooled: config.databasePooled && config.databaseUrl === config.databaseDirectUrl,
    log: ctx.log,
    makeContext: (signal) => ({ ...ctx, signal }),
    tasks: [
      ...bindTasks(syncTasks, syncTaskHandlers),
      ...bindTasks(recordTasks, recordTaskHandlers),
    ],
    due: [dueSyncs, createDeliveryWork()],
    daily: [ensureLogPartitions],
  });
}
