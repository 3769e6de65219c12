import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { installationRoutes, routes } from "@jackfield/contract";
import { actionHandlers, actionRuntime } from "#actions";
import type { Config } from "#config";
import {
  createConnectHandlers,
  isPopupSocket,
  listAllowedIntegrations,
  servePopups,
  settlePending,
} from "#connect";
import {
  connectionChecked,
  connectionCreated,
  connectionDeleted,
  connectionDeleting,
  connectionDeletingWatched,
  connectionHandlers,
  connectionRuntime,
  connectionValidating,
  countConnections,
  deleteConnectionsOf,
  deleteWatchedConnections,
  finishRefreshes,
  listNewestConnections,
  postponeForConnections,
  startSpoolReplay,
} from "#connections";
import {
  environmentDeleted,
  environmentErasing,
  environmentHandlers,
  environmentRuntime,
  failingReceivers,
} from "#environments";
import {
  answerRuntimeCalls,
  connectionCounts,
  deleteFunctionsOf,
  deployedFunctionHandlers,
  functionBundleHandlers,
  functionHandlers,
  functionJobHandlers,
  functionRuntime,
  functionsDeployed,
  hasPreDeletion,
  hasValidators,
  queuePostCreation,
  runPreDeletion,
  runValidators,
} from "#functions";
import { createIdempotency, createNameAliases, createRateLimiter } from "#gateway";
import {
  allowedIntegrations,
  connectionsOfIntegrations,
  followProvider,
  integrationDeleting,
  integrationHandlers,
  integrationLeaving,
  integrationRuntime,
  newestConnections,
  removeIntegrationsLater,
} from "#integrations";
import { endpointHandlers } from "#legacy-endpoints";
import { endLogs, logHandlers } from "#logs";
import { createMcpHandlers } from "#mcp";
import {
  type EnvironmentContext,
  type HookAnswer,
  on,
  type SystemContext,
  version,
  watchLoop,
} from "#platform";
import {
  beginRequest,
  boundWaits,
  closeWithin,
  createHttpServer,
  putInFront,
  RequestLog,
  type RouteHandlers,
  RoutesInProgress,
} from "#platform/http";
import { openCaches } from "#platform\/cache";
import {
  customProviderChanged,
  flushStageCounts,
  providerHandlers,
  watchProvidersFolder,
} from "#providers";
import { type FastPathOptions, proxyHandlers, proxyRuntime, withFastPath } from "#proxy";
import {
  countChangedRecords,
  deleteRecordsOfConnection,
  dropRecordsAtLast,
  dropRecordsLater,
  recordHandlers,
  recordRuntime,
  recordsChanged,
} from "#records";
import { createStatusHandlers } from "#status";
import {
  countChanges,
  createSyncsOfConnection,
  createSyncsOfFunctions,
  deleteSyncsOfConnection,
  deleteSyncsOfEnvironment,
  syncHandlers,
  syncRuntime,
} from "#syncs";
import type { Workers } from "#tasks";
import { createInboxHandlers } from "#webhooks-in";
import { findFailingReceivers, webhookDeliveryHandlers } from "#webhooks-out";
import type { App, AppOptions } from "./app-options.ts";
import { ensureDayPartitions } from "./ensure-day-partitions.ts";
import { findUnreadiness } from "./find-unreadiness.ts";
import { contextOfRequest } from "./http-context.ts";
import { observeApp } from "./observe-app.ts";
import { seeOwnChanges } from "./see-own-changes.ts";
import { startWork } from "./start-work.ts";
import { workAfterQuarantine } from "./work-after-quarantine.ts";
/** Who reacts to what: the only place that ties slices upwards. */
export const hookAnswers: readonly HookAnswer<EnvironmentContext>[] = [
  on(failingReceivers, findFailingReceivers),
  on(environmentDeleted, removeIntegrationsLater),
  on(environmentErasing, postponeForConnections),
  on(environmentDeleted, deleteSyncsOfEnvironment),
  on(environmentDeleted, dropRecordsLater),
  on(environmentErasing, dropRecordsAtLast),
  on(integrationLeaving, deleteWatchedConnections),
  on(integrationDeleting, deleteConnectionsOf),
  on(integrationDeleting, deleteFunctionsOf),
  on(allowedIntegrations, listAllowedIntegrations),
  on(connectionChecked, hasValidators),
  on(connectionValidating, runValidators),
  on(connectionCreated, queuePostCreation),
  on(connectionCreated, createSyncsOfConnection),
  on(connectionCreated, settlePending),
  on(connectionDeletingWatched, hasPreDeletion),
  on(connectionDeleting, runPreDeletion),
  on(connectionDeleted, deleteSyncsOfConnection),
  on(connectionDeleted, deleteRecordsOfConnection),
  on(connectionCounts, countConnections),
  on(connectionsOfIntegrations, countConnections),
  on(newestConnections, listNewestConnections),
  on(functionsDeployed, createSyncsOfFunctions),
  on(recordsChanged, countChanges),
  on(recordsChanged, countChangedRecords),
  on(customProviderChanged, followProvider),
  answerRuntimeCalls({
    ...functionRuntime,
    ...environmentRuntime,
    ...connectionRuntime,
    ...proxyRuntime,
    ...actionRuntime,
    ...integrationRuntime,
    ...recordRuntime,
    ...syncRuntime,
  }),
];

/** What the roles of this process ask for: routes, workers, loops. Disposing it drains them. */
export async function createApp(options: AppOptions): Promise<App> {
  const { ctx, config } = options;
  await using stack = new AsyncDisposableStack();
  const stopping = new AbortController();
  const leaving = new AbortController();
  await ensureDayPartitions(ctx);
  if (config.providersDir !== undefined) {
    stack.use(await watchProvidersFolder(config.providersDir, ctx.log));
  }
  stack.use(openCaches(ctx));
  stack.defer(async () => await endLogs(ctx));
  stack.defer(async () => await flushStageCounts(ctx));
  stack.use(await startSpoolReplay(ctx));
  stack.defer(async () => await finishRefreshes(ctx));
  const workers = config.roles.includes("worker")
    ? stack.use(await workAfterQuarantine(ctx, async () => await startWork(ctx, options)))
    : undefined;
  const { directUrl: connectionString, isDeaf: pooled, seesDatabase } = options;
  const database = seesDatabase ? { connectionString, pooled } : undefined;
  stack.use(observeApp(ctx, { workers, database }));
  const inProgress = new RoutesInProgress();
  stack.use(watchLoop({ log: ctx.log, inProgress: () => inProgress.take() }));
  const signals = { stopping: stopping.signal, leaving: leaving.signal };
  const served = { ...signals, inProgress, workers };
  const server = await startRoutes(ctx, config, served);
  stack.defer(async () => await closeWithin(server, config.stopMs * ANSWERS_SHARE));
  stack.defer(() => stopping.abort());
  stack.defer(() => leaving.abort());
  const running = stack.move();
  return {
    async listen(address) {
      await server.listen(address);
      const bound = server.server.address();
      return typeof bound === "object" && bound !== null ? bound.port : address.port;
    },
    async drain() {
      leaving.abort();
      await sleep(config.drainMs);
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

/** Of the time for the stop, what answers may take; the rest is for jobs and for what is written at the end. */
const ANSWERS_SHARE = 0.5;

interface ServedBy {
  readonly stopping: AbortSignal;
  readonly leaving: AbortSignal;
  readonly inProgress: RoutesInProgress;
  readonly workers: Workers | undefined;
}

async function startRoutes(
  ctx: SystemContext,
  config: Config,
  { stopping, leaving, inProgress, workers }: ServedBy,
) {
  const { compatPrefix, rateLimitPerMinute } = config;
  const limiter = createRateLimiter(rateLimitPerMinute);
  const aliases = compatPrefix === undefined ? undefined : createNameAliases(compatPrefix);
  const requestLog = config.logRequests
    ? new RequestLog({ log: ctx.log, newId: randomUUID })
    : undefined;
  const handlers = {
    ...createStatusHandlers({
      readiness: async () => await findUnreadiness(ctx, { leaving, workers }),
      version,
      quarantine: ctx.settings.quarantine,
    }),
    ...environmentHandlers,
    ...integrationHandlers,
    ...connectionHandlers,
    ...createConnectHandlers({ stopping }),
    ...providerHandlers,
    ...proxyHandlers,
    ...functionHandlers,
    ...deployedFunctionHandlers,
    ...functionJobHandlers,
    ...functionBundleHandlers,
    ...syncHandlers,
    ...recordHandlers,
    ...actionHandlers,
    ...createMcpHandlers(limiter),
    ...endpointHandlers,
    ...logHandlers,
    ...webhookDeliveryHandlers,
    ...createInboxHandlers(),
  } satisfies RouteHandlers<typeof routes>;
  const server = await createHttpServer({
    routes: config.roles.includes("api") ? routes : installationRoutes,
    handlers: seeOwnChanges(routes, handlers),
    authorize: async (request, route, signal, reply) => {
      const { method, headers } = request;
      const traced = { route, method, traceparent: headers["traceparent"], response: reply.raw };
      const trace = beginRequest(ctx.trace, traced);
      requestLog?.noteRoute(request.raw, route);
      const call = { request, reply, route, limiter };
      const caller = await contextOfRequest({ ...ctx, signal, trace }, call);
      requestLog?.noteCaller(request.raw, caller);
      return caller;
    },
    idempotency: createIdempotency(),
    aliases,
    takesUpgrade: aliases === undefined ? undefined : isPopupSocket,
    inProgress,
    requestLog,
    leaving,
    bodyLimitBytes: config.bodyLimitBytes,
    actionValueLimitBytes: config.actionValueLimitBytes,
    log: ctx.log,
    clock: ctx.clock,
    newErrorId: randomUUID,
  });
  if (config.roles.includes("api")) {
    if (aliases !== undefined) servePopups(ctx, server.server, stopping);
    const admit: FastPathOptions["admit"] = async (of, call) =>
      await limiter.admit(of, { ...call, bucket: "key" });
    const options = {
      renameHeaders: aliases?.renameHeaders,
      admit: rateLimitPerMinute === 0 ? undefined : admit,
      requestLog,
    };
    putInFront(server, (next) => withFastPath({ ...ctx, signal: stopping }, next, options));
  }
  // Before all others, so that it bounds them too.
  putInFront(server, boundWaits);
  return server;
}
