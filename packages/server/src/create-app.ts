import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { auditTrail, flushCredentialReads } from "#audit";
import type { Config } from "#config";
import { flushStepCounts, isPopupSocket, servePopups } from "#connect";
import { finishRefreshes, flushUses, startSpoolReplay } from "#connections";
import { SECOND, type SystemContext, stopping, watchLoop } from "#foundation";
import { openCaches } from "#foundation/cache";
import {
  beginRequest,
  boundWaits,
  clientAddress,
  closeWithin,
  createHttpServer,
  isForHost,
  putInFront,
  RecentFailures,
  RequestLog,
  RoutesInProgress,
  refuseConnections,
} from "#foundation/http";
import { withinSpan } from "#foundation/instruments";
import {
  flushCanaryCounts,
  flushConsumers,
  flushEgress,
  flushFindings,
  flushRunCounts,
} from "#functions";
import { createIdempotency, createNameAliases, rateLimiter } from "#gateway";
import { installationFacts } from "#installation";
import { flushOutages } from "#integrations";
import { endLogs } from "#logs";
import { flushStageCounts, watchProvidersFolder } from "#providers";
import { type FastPathOptions, withFastPath } from "#proxy";
import { flushDrift, flushRecordTallies } from "#records";
import { allOf } from "#slice";
import { degradation, readiness, status } from "#status";
import { flushReconciled } from "#syncs";
import { flushArrivals, flushIntake } from "#webhooks-in";
import { slices } from "./app.ts";
import type { App, AppOptions } from "./app-options.ts";
import { contextOfRequest } from "./http-context.ts";
import { ensureDayPartitions } from "./process/ensure-day-partitions.ts";
import { findDegraded, findUnreadiness } from "./process/find-unreadiness.ts";
import { listBacklogs, observeApp } from "./process/observe-app.ts";
import { PeoplePort } from "./process/ports/people-port.ts";
import { startWork } from "./process/start-work.ts";
import { workAfterQuarantine } from "./process/work-after-quarantine.ts";

/** What the roles of this process ask for: routes, workers, loops. Disposing it drains them. */
export async function createApp(options: AppOptions): Promise<App> {
  const { ctx, config } = options;
  await using stack = new AsyncDisposableStack();
  const stop = stopping.of(ctx);
  const leaving = new AbortController();
  const refusing = new AbortController();
  await ensureDayPartitions(ctx);
  if (config.providersDir !== undefined) {
    stack.use(await watchProvidersFolder(config.providersDir, ctx.log));
  }
  stack.use(openCaches(ctx));
  stack.defer(async () => await endLogs(ctx));
  stack.defer(async () => await flushStageCounts(ctx));
  stack.defer(async () => await flushRunCounts(ctx));
  stack.defer(async () => await flushCanaryCounts(ctx));
  stack.defer(async () => await flushConsumers(ctx));
  stack.defer(async () => await flushEgress(ctx));
  stack.defer(async () => await flushDrift(ctx));
  stack.defer(async () => await flushArrivals(ctx));
  stack.defer(async () => await flushIntake(ctx));
  stack.defer(async () => await flushStepCounts(ctx));
  stack.defer(async () => await flushReconciled(ctx));
  stack.defer(async () => await flushFindings(ctx));
  stack.defer(async () => await flushOutages(ctx));
  stack.defer(async () => await flushCredentialReads(ctx));
  stack.defer(async () => await flushUses(ctx));
  stack.defer(async () => await flushRecordTallies(ctx));
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
  readiness.set(ctx, async () => await findUnreadiness(ctx, { leaving: leaving.signal, workers }));
  degradation.set(ctx, async () => await findDegraded(ctx));
  installationFacts.set(ctx, {
    roles: config.roles,
    apiProcesses: config.apiProcesses,
    poolSize: config.databaseConnections,
    dataDir: config.dataDir,
    startedAt: ctx.clock.now(),
    backlogs: listBacklogs(),
    dayTables: allOf(slices, "dayTables"),
    egress: { allow: config.egressAllow, authorities: config.egressAuthorities.length },
    failures: new RecentFailures(),
  });
  const signals = { stopping: stop.signal, leaving: refusing.signal };
  const { dashboardPort } = config;
  const people = dashboardPort === undefined ? undefined : new PeoplePort();
  const server = await startRoutes(ctx, config, { ...signals, inProgress, people });
  stack.defer(async () => await closeWithin(server, config.stopMs * ANSWERS_SHARE));
  if (people !== undefined) stack.use(people);
  stack.defer(() => stop.abort());
  stack.defer(() => leaving.abort());
  stack.defer(() => refusing.abort());
  const running = stack.move();
  return {
    async listen(address) {
      // First, since who waits for the port of programs takes the process for ready then.
      if (people !== undefined && dashboardPort !== undefined && config.roles.includes("api")) {
        await people.listen({ host: address.host, port: dashboardPort }, server.server);
      }
      await server.listen(address);
      const bound = server.server.address();
      return typeof bound === "object" && bound !== null ? bound.port : address.port;
    },
    async drain() {
      leaving.abort();
      await sleep(config.drainMs);
      people?.[Symbol.dispose]();
      const quietMs = Math.min(config.drainMs, QUIET_MS);
      const withinMs = config.stopMs * LAST_REQUESTS_SHARE;
      await refuseConnections(server, { refusing, quietMs, withinMs });
    },
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

/** Once no more connections are taken: how long those that there are stay open without a request. */
const QUIET_MS = 2 * SECOND;
/** Of the time for the stop, what requests over them may take while they still come. */
const LAST_REQUESTS_SHARE = 0.2;
/** The same for answers; the rest is for jobs and for what is written at the end. */
const ANSWERS_SHARE = 0.5;

interface ServedBy {
  readonly stopping: AbortSignal;
  readonly leaving: AbortSignal;
  readonly inProgress: RoutesInProgress;
  readonly people: PeoplePort | undefined;
}

async function startRoutes(
  ctx: SystemContext,
  config: Config,
  { stopping, leaving, inProgress, people }: ServedBy,
) {
  const { compatPrefix, rateLimitPerMinute, proxyHost } = config;
  const aliases = compatPrefix === undefined ? undefined : createNameAliases(compatPrefix);
  const requestLog = config.logRequests
    ? new RequestLog({ log: ctx.log, newId: randomUUID })
    : undefined;
  const isApi = config.roles.includes("api");
  const server = await createHttpServer({
    routes: isApi ? allOf(slices, "routes") : status.routes,
    authorize: async (request, route, signal, reply) => {
      const { method, headers } = request;
      const traced = { route, method, traceparent: headers["traceparent"], response: reply.raw };
      const trace = beginRequest(ctx.trace, traced);
      requestLog?.noteRoute(request.raw, route);
      people?.requireOwn(request.raw, route);
      const origin = {
        address: clientAddress(request),
        userAgent: headers["user-agent"],
        requestId: requestLog?.idOf(request.raw),
      };
      const outside = { ...ctx, signal, trace, origin };
      const caller = await withinSpan(
        trace,
        async () => await contextOfRequest(outside, { request, reply, route }),
      );
      requestLog?.noteCaller(request.raw, caller);
      return caller;
    },
    idempotency: createIdempotency(),
    audit: auditTrail,
    aliases,
    proxyHost,
    takesUpgrade: aliases === undefined ? undefined : (request) => isPopup(request, proxyHost),
    inProgress,
    trustedProxies: config.trustedProxies,
    requestLog,
    failures: installationFacts.of(ctx).failures,
    leaving,
    bodyLimitBytes: config.bodyLimitBytes,
    actionValueLimitBytes: config.actionValueLimitBytes,
    log: ctx.log,
    clock: ctx.clock,
    newErrorId: randomUUID,
  });
  if (isApi) {
    if (aliases !== undefined) servePopups(ctx, server.server, stopping);
    const admit: FastPathOptions["admit"] = async (of, call) =>
      await rateLimiter.of(of).admit(of, { ...call, bucket: "key" });
    const options = {
      renameHeaders: aliases?.renameHeaders,
      admit: rateLimitPerMinute === 0 && !config.severalAccounts ? undefined : admit,
      requestLog,
    };
    putInFront(server, (next) => withFastPath({ ...ctx, signal: stopping }, next, options));
  }
  // Before all others, so that it bounds them too.
  putInFront(server, boundWaits);
  return server;
}

function isPopup(request: IncomingMessage, proxyHost: string | undefined): boolean {
  return isPopupSocket(request) && (proxyHost === undefined || !isForHost(request, proxyHost));
}
