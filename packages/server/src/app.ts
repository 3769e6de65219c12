import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { installationRoutes, routes } from "@jackfield/contract";
import { actionHandlers } from "#actions";
import type { Config } from "#config";
import { createConnectHandlers, deleteOldSessions, listAllowedIntegrations } from "#connect";
import {
  connectionCreated,
  connectionDeleted,
  connectionHandlers,
  connectionRuntime,
  countConnections,
  createIdleRefreshWork,
  deleteConnectionsOf,
  finishRefreshes,
  startSpoolReplay,
  sweepRefreshSpool,
} from "#connections";
import { environmentDeleted, environmentHandlers, environmentRuntime } from "#environments";
import {
  answerRuntimeCalls,
  connectionCounts,
  deleteFunctionsOf,
  functionHandlers,
  functionRuntime,
  functionsDeployed,
} from "#functions";
import {
  createKeptAnswers,
  createNameAliases,
  createRateLimiter,
  deleteExpiredAnswers,
} from "#gateway";
import { createInstallationHandlers } from "#installation";
import {
  allowedIntegrations,
  connectionsOfIntegrations,
  integrationDeleting,
  integrationHandlers,
  integrationTaskHandlers,
  integrationTasks,
  removeIntegrationsLater,
} from "#integrations";
import { ensureLogPartitions, flushLogs } from "#logs";
import { type EnvironmentContext, type HookAnswer, type InstallationContext, on } from "#platform";
import { isDatabaseReady } from "#platform/db";
import { createHttpServer, putInFront, type RouteHandlers } from "#platform/http";
import { openLookups } from "#platform/lookups";
import { providerHandlers } from "#providers";
import { proxyHandlers, proxyRuntime, withFastLane } from "#proxy";
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
import { seeOwnChanges } from "./see-own-changes.ts";

/** Who reacts to what: the only place that ties slices upwards. */
export const hookAnswers: readonly HookAnswer<EnvironmentContext>[] = [
  on(environmentDeleted, removeIntegrationsLater),
  on(integrationDeleting, deleteConnectionsOf),
  on(integrationDeleting, deleteFunctionsOf),
  on(allowedIntegrations, listAllowedIntegrations),
  on(connectionCreated, createSyncsOfConnection),
  on(connectionDeleted, deleteSyncsOfConnection),
  on(connectionDeleted, deleteRecordsOfConnection),
  on(connectionCounts, countConnections),
  on(connectionsOfIntegrations, countConnections),
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
  stack.use(openLookups(ctx));
  stack.defer(async () => await flushLogs(ctx));
  stack.use(await startSpoolReplay(ctx));
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
  const limiter = createRateLimiter(config.rateLimitPerMinute);
  const handlers = {
    ...createInstallationHandlers({ readiness, version }),
    ...environmentHandlers,
    ...integrationHandlers,
    ...connectionHandlers,
    ...createConnectHandlers({ stopping }),
    ...providerHandlers,
    ...proxyHandlers,
    ...functionHandlers,
    ...syncHandlers,
    ...recordHandlers,
    ...actionHandlers,
  } satisfies RouteHandlers<typeof routes>;
  const server = await createHttpServer({
    routes: config.roles.includes("api") ? routes : installationRoutes,
    handlers: seeOwnChanges(routes, handlers),
    authorize: async (request, route, signal, reply) =>
      await contextOfRequest({ ...ctx, signal }, { request, reply, route, limiter }),
    keptAnswers: createKeptAnswers(),
    aliases: config.compatPrefix === undefined ? undefined : createNameAliases(config.compatPrefix),
    bodyLimitBytes: config.bodyLimitBytes,
    log: ctx.log,
    newErrorId: randomUUID,
  });
  // Renamed headers and limits per caller are for those who go the whole way.
  const isPlain = config.compatPrefix === undefined && config.rateLimitPerMinute === 0;
  if (config.roles.includes("api") && isPlain) {
    putInFront(server, (next) => withFastLane({ ...ctx, signal: stopping }, next));
  }
  return server;
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
      ...bindTasks(integrationTasks, integrationTaskHandlers),
    ],
    channel: ctx.notices,
    due: [dueSyncs, createDeliveryWork(), createIdleRefreshWork()],
    daily: [deleteExpiredAnswers, deleteOldSessions, ensureLogPartitions, sweepRefreshSpool],
  });
}
