import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { installationRoutes, routes } from "@jackfield/contract";
import {
  actionHandlers,
  actionRuntime,
  actionTaskHandlers,
  actionTasks,
  deleteOldResults,
} from "#actions";
import type { Config } from "#config";
import {
  createConnectHandlers,
  deleteOldSessions,
  listAllowedIntegrations,
  settlePending,
} from "#connect";
import {
  connectionChecked,
  connectionCreated,
  connectionDeleted,
  connectionDeleting,
  connectionHandlers,
  connectionRuntime,
  connectionTaskHandlers,
  connectionTasks,
  connectionValidating,
  countConnections,
  createIdleRefreshWork,
  deleteConnectionsOf,
  finishRefreshes,
  listNewestConnections,
  postponeForConnections,
  startSpoolReplay,
  sweepRefreshSpool,
  sweepRevocations,
} from "#connections";
import { endpointHandlers } from "#endpoints";
import {
  environmentDeleted,
  environmentErasing,
  environmentHandlers,
  environmentRuntime,
  eraseEnvironments,
  failingReceivers,
} from "#environments";
import {
  answerRuntimeCalls,
  connectionCounts,
  deleteExpiredLocks,
  deleteFunctionsOf,
  deleteOldJobs,
  deployedFunctionHandlers,
  functionBundleHandlers,
  functionHandlers,
  functionJobHandlers,
  functionJobTaskHandlers,
  functionJobTasks,
  functionRuntime,
  functionsDeployed,
  hasValidators,
  onEventTaskHandlers,
  onEventTasks,
  queuePostCreation,
  runPreDeletion,
  runValidators,
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
  followProvider,
  integrationDeleting,
  integrationHandlers,
  integrationRuntime,
  integrationTaskHandlers,
  integrationTasks,
  newestConnections,
  removeIntegrationsLater,
} from "#integrations";
import {
  dropOldPartitions,
  endLogs,
  ensureLogPartitions,
  expireOperations,
  logHandlers,
} from "#logs";
import { createMcpHandlers } from "#mcp";
import {
  type EnvironmentContext,
  type HookAnswer,
  type InstallationContext,
  on,
  version,
  watchLoop,
} from "#platform";
import { isDatabaseReady } from "#platform/db";
import {
  beginRequest,
  boundWaits,
  closeWithin,
  createHttpServer,
  putInFront,
  type RouteHandlers,
  RoutesInProgress,
} from "#platform/http";
import { openLookups } from "#platform/lookups";
import {
  customProviderChanged,
  deleteOldStageCounts,
  flushStageCounts,
  providerHandlers,
  watchProvidersFolder,
} from "#providers";
import { type LaneOptions, proxyHandlers, proxyRuntime, withFastLane } from "#proxy";
import {
  countChangedRecords,
  deleteRecordsOfConnection,
  dropRecordsAtLast,
  dropRecordsLater,
  expireOldTrackings,
  pruneOldRecords,
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
  deleteIdleRecords,
  deleteSyncsOfConnection,
  deleteSyncsOfEnvironment,
  dueSyncs,
  forgetOldRuns,
  syncHandlers,
  syncRuntime,
  syncSweep,
  syncTaskHandlers,
  syncTasks,
} from "#syncs";
import { bindTasks, createLaneWork, startWorkers, type Workers } from "#tasks";
import { createInboxHandlers, createInboxWork, deleteOldWebhooks } from "#webhooks-in";
import {
  createDeliveryWork,
  deleteOldDeliveries,
  findFailingReceivers,
  webhookDeliveryHandlers,
  webhookTaskHandlers,
  webhookTasks,
} from "#webhooks-out";
import { contextOfRequest } from "./http-context.ts";
import { laneTraffic, observeApp } from "./observe-app.ts";
import { seeOwnChanges } from "./see-own-changes.ts";
import { workAfterQuarantine } from "./work-after-quarantine.ts";

/** Who reacts to what: the only place that ties slices upwards. */
export const hookAnswers: readonly HookAnswer<EnvironmentContext>[] = [
  on(failingReceivers, findFailingReceivers),
  on(environmentDeleted, removeIntegrationsLater),
  on(environmentErasing, postponeForConnections),
  on(environmentDeleted, deleteSyncsOfEnvironment),
  on(environmentDeleted, dropRecordsLater),
  on(environmentErasing, dropRecordsAtLast),
  on(integrationDeleting, deleteConnectionsOf),
  on(integrationDeleting, deleteFunctionsOf),
  on(allowedIntegrations, listAllowedIntegrations),
  on(connectionChecked, hasValidators),
  on(connectionValidating, runValidators),
  on(connectionCreated, queuePostCreation),
  on(connectionCreated, createSyncsOfConnection),
  on(connectionCreated, settlePending),
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

export interface App extends AsyncDisposable {
  /** Opens the address; resolves to the port. */
  listen(address: { host: string; port: number }): Promise<number>;
  /** Not ready from now on; resolves when balancers have had the time to see it. */
  drain(): Promise<void>;
}

export interface AppOptions {
  readonly ctx: InstallationContext;
  readonly config: Config;
  /** The database without a transaction pooler. */
  readonly directUrl: string;
  /** There is no way around the pooler: what is due is polled for. */
  readonly isDeaf: boolean;
  /** Metrics of the database are this process's to tell; where several share a port, one does. */
  readonly seesDatabase: boolean;
}

/** What the roles of this process ask for: routes, workers, loops. Disposing it drains them. */
export async function createApp(options: AppOptions): Promise<App> {
  const { ctx, config } = options;
  await using stack = new AsyncDisposableStack();
  const stopping = new AbortController();
  const leaving = new AbortController();
  await ensureLogPartitions(ctx);
  if (config.providersDir !== undefined) {
    stack.use(await watchProvidersFolder(config.providersDir, ctx.log));
  }
  stack.use(openLookups(ctx));
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
  ctx: InstallationContext,
  config: Config,
  { stopping, leaving, inProgress, workers }: ServedBy,
) {
  const readiness = async () => {
    if (leaving.aborted) return "the process is stopping";
    if (!(await isDatabaseReady(ctx.db))) return "the database does not answer";
    const [stalled] = workers?.stalledQueues ?? [];
    return stalled === undefined ? undefined : `due jobs of the queue \`${stalled}\` wait`;
  };
  const { compatPrefix, rateLimitPerMinute } = config;
  const limiter = createRateLimiter(rateLimitPerMinute);
  const aliases = compatPrefix === undefined ? undefined : createNameAliases(compatPrefix);
  const handlers = {
    ...createInstallationHandlers({ readiness, version, quarantine: ctx.settings.quarantine }),
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
      return await contextOfRequest({ ...ctx, signal, trace }, { request, reply, route, limiter });
    },
    keptAnswers: createKeptAnswers(),
    aliases,
    inProgress,
    leaving,
    bodyLimitBytes: config.bodyLimitBytes,
    actionValueLimitBytes: config.actionValueLimitBytes,
    log: ctx.log,
    clock: ctx.clock,
    newErrorId: randomUUID,
  });
  if (config.roles.includes("api")) {
    const admit: LaneOptions["admit"] = async (of, call) =>
      await limiter.admit(of, { ...call, bucket: "key" });
    const options = {
      renameHeaders: aliases?.renameHeaders,
      admit: rateLimitPerMinute === 0 ? undefined : admit,
    };
    putInFront(server, (next) => withFastLane({ ...ctx, signal: stopping }, next, options));
  }
  // Before all others, so that it bounds them too.
  putInFront(server, boundWaits);
  return server;
}

/** So a worker may miss one sign of life. */
const HEARTBEAT_SHARE = 0.4;

async function startWork(
  ctx: InstallationContext,
  { config, directUrl: connectionString, isDeaf }: AppOptions,
): Promise<Workers> {
  return await startWorkers({
    connectionString,
    pooled: isDeaf,
    log: ctx.log,
    makeContext: (signal) => ({ ...ctx, signal }),
    runPlaces: config.runPlaces,
    silentMs: config.workerTimeoutMs,
    heartbeatMs: config.workerTimeoutMs * HEARTBEAT_SHARE,
    tasks: [
      ...bindTasks(syncTasks, syncTaskHandlers),
      ...bindTasks(actionTasks, actionTaskHandlers),
      ...bindTasks(recordTasks, recordTaskHandlers),
      ...bindTasks(integrationTasks, integrationTaskHandlers),
      ...bindTasks(connectionTasks, connectionTaskHandlers),
      ...bindTasks(functionJobTasks, functionJobTaskHandlers),
      ...bindTasks(onEventTasks, onEventTaskHandlers),
      ...bindTasks(webhookTasks, webhookTaskHandlers),
    ],
    channel: ctx.notices,
    due: [
      dueSyncs,
      syncSweep,
      createLaneWork(laneTraffic),
      createDeliveryWork(),
      createInboxWork(),
      createIdleRefreshWork(),
    ],
    daily: [
      deleteOldWebhooks,
      deleteExpiredAnswers,
      deleteOldDeliveries,
      deleteExpiredLocks,
      deleteOldJobs,
      pruneOldRecords,
      expireOldTrackings,
      deleteIdleRecords,
      deleteOldResults,
      forgetOldRuns,
      deleteOldSessions,
      deleteOldStageCounts,
      dropOldPartitions,
      ensureLogPartitions,
      expireOperations,
      sweepRefreshSpool,
      sweepRevocations,
      eraseEnvironments,
    ],
  });
}
