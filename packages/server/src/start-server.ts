import { join, resolve } from "node:path";
import type { Config } from "#config";
import { connectPageFolder } from "#connect";
import { dashboardFolder } from "#dashboard";
import {
  type Clock,
  createLogger,
  type Failpoints,
  Hooks,
  type Keys,
  type Logger,
  noFailpoints,
  noNotices,
  reasonOf,
  type Secret,
  ServerStates,
  type SystemContext,
  systemClock,
  version,
} from "#foundation";
import {
  clusterWorkers,
  type Database,
  guardWhereDistributed,
  isPooler,
  migrate,
  openDatabase,
  replicas,
  WorkerWatch,
} from "#foundation/db";
import { requireRestored } from "#foundation/db/transfer";
import { createEgress } from "#foundation/egress";
import { createSandbox } from "#foundation/sandbox";
import { type ReadOthers, startTelemetry, type TelemetryOptions } from "#foundation/telemetry";
import { logServer } from "#logs";
import { keepPageFiles } from "#page-files";
import type { NewKeys } from "#people";
import { watchQuarantine } from "#quarantine";
import { SimulatorHost, type StartSimulator, simulatorHost } from "#simulator";
import { DueChannel } from "#tasks";
import { hasDataKeys, openMasterKeyRing, startKeyKeeper, verifyMasterKey } from "#vault";
import { reactions } from "./app.ts";
import { createApp } from "./create-app.ts";
import { type DatabaseUrls, openDatabaseServer } from "./process/databases/open-database-server.ts";
import { openLogServer } from "./process/databases/open-log-server.ts";
import { openReplicas, requireNoReplicas } from "./process/databases/open-replicas.ts";
import { newFirstSetupLink, prepareInstallation } from "./process/first-start.ts";
import { requireFreePorts, toListenFault } from "./process/ports/claim-port.ts";
import { ServerSettings } from "./process/server-settings.ts";
import { waitForSchema } from "./process/wait-for-schema.ts";

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  /** Only after the first start of an installation. */
  readonly newKeys: NewKeys | undefined;
  /** Where the first owner signs in; undefined once there is one. */
  readonly setupLink: Secret<string> | undefined;
  /** The start of the quarantine that this installation is in. */
  readonly quarantinedSince: Date | undefined;
  readonly startedInMs: number;
  /** Where /metrics is served; undefined where it is not. */
  readonly metricsPort: number | undefined;
  /** Not ready from now on, but served for a while yet: balancers look for others meanwhile. Disposing it stops it. */
  drain(): Promise<void>;
}

export interface StartOptions {
  readonly config: Config;
  readonly clock?: Clock;
  readonly failpoints?: Failpoints;
  /** Serves the routes in place of this process, and resolves to the port; it takes no requests then. */
  readonly serve?: (database: DatabaseUrls) => Promise<number>;
  /** Metrics of the processes that serve in place of this one. */
  readonly readOthers?: ReadOthers;
  /** In such a process: how the one that serves /metrics learns of it. */
  readonly answerMetrics?: TelemetryOptions["answer"];
  /** Starts the provider of first steps; undefined where there is no simulator. */
  readonly startSimulator?: StartSimulator;
  /** Folder of the dashboard's build; that of its package unless given. */
  readonly dashboardBuild?: URL;
  /** Folder of the build of the pages for end users; that of its package unless given. */
  readonly connectBuild?: URL;
  /** Ends the wait for a schema that another process migrates. */
  readonly signal?: AbortSignal;
}

/** Starts everything that the roles ask for; disposing it drains and stops in reverse order. */
export async function startServer({
  config,
  clock = systemClock,
  failpoints = noFailpoints,
  serve,
  readOthers,
  answerMetrics: answer,
  startSimulator,
  dashboardBuild,
  connectBuild,
  signal,
}: StartOptions): Promise<RunningServer> {
  const startedAt = performance.now();
  const log = createLogger(config.logLevel);
  await using stack = new AsyncDisposableStack();
  const dataDir = resolve(config.dataDir);
  const telemetry = stack.use(
    await startTelemetry({ settings: config.telemetry, version, log, readOthers, answer }),
  );

  // Processes that share a port get it from the first of them.
  if (answer === undefined) await requireFreePorts(config);
  const urls = await openDatabaseServer(stack, { config, dataDir, log });
  await requireRestored(urls.direct);
  if (config.migrate === "off") {
    await waitForSchema({ connectionString: urls.direct, address: config, log, signal });
  }
  const pooled = await isPooled(config, urls.main);
  const database = stack.use(openPool({ config, pooled, connectionString: urls.main, log }));
  // Before the migrations: with a wrong key nothing is written.
  const keys = await openKeys(database, { config, dataDir });
  if (config.migrate === "auto") await migrate(urls.direct, undefined, signal);
  const isCluster = await guardWhereDistributed(database);
  if (isCluster) requireNoReplicas(config);
  const keyContext = { db: database.db, clock, keys, log };
  const readRing = async () => await readKeys({ config, dataDir, mayCreate: false });
  const isFixed = config.encryptionKey !== undefined;
  stack.use(await startKeyKeeper({ ctx: keyContext, readRing: isFixed ? undefined : readRing }));
  const newKeys = await prepareInstallation({ db: database.db, clock, keys }, config.bootstrapKey);

  const quarantine = stack.use(await watchQuarantine({ db: database.db, log }));
  const stopping = new AbortController();
  const origins = new Set<string>();
  const http = stack.use(
    createEgress({
      ...{ allow: config.egressAllow, origins },
      authorities: config.egressAuthorities,
      log,
      headersTimeoutMs: config.upstreamHeadersTimeoutMs,
      idleTimeoutMs: config.upstreamIdleTimeoutMs,
    }),
  );
  const sandbox = stack.use(
    await createSandbox({
      dataDir,
      log: (event, fields) => log.info(event, fields),
      memoryMb: config.functionMemoryMb,
      heapMb: config.functionHeapMb,
      environmentShare: config.environmentShare,
      strict: config.functionSandbox === "strict",
      userIds: config.functionUserIds,
    }),
  );
  const settings = new ServerSettings(config, { quarantine, spoolDir: join(dataDir, "spool") });
  const isDeaf = pooled && urls.direct === urls.main;
  if (isDeaf) {
    const cure = "set SVC_DATABASE_DIRECT_URL to an address of the database itself";
    log.warn("database.pooler_only", { effect: "work is polled for each second", cure });
  }
  const notices = isDeaf
    ? noNotices
    : stack.use(new DueChannel({ connectionString: urls.direct, log }));
  const ctx: SystemContext = {
    actor: { kind: "system" },
    clock,
    db: database.db,
    log,
    http,
    keys,
    hooks: new Hooks(reactions),
    notices,
    failpoints,
    sandbox,
    settings,
    state: stack.use(new ServerStates()),
    trace: telemetry.root,
    signal: stopping.signal,
  };
  const { logsDatabaseUrl: url } = config;
  if (url !== undefined) {
    logServer.set(ctx, stack.use(await openLogServer({ config, url, clock, log })));
  }
  if (isCluster) clusterWorkers.set(ctx, new WorkerWatch(database.db, log));
  replicas.set(ctx, await openReplicas(stack, { config, primary: database.db, log }));
  const simulator = { start: config.simulator ? startSimulator : undefined, dataDir, origins, log };
  simulatorHost.set(ctx, stack.use(await SimulatorHost.open(simulator)));
  const main = { directUrl: urls.direct, isDeaf, seesDatabase: answer === undefined };
  const app = stack.use(await createApp({ ctx, config, ...main }));
  const { host, port } = config;
  const takesPeople = answer === undefined && (serve !== undefined || config.roles.includes("api"));
  if (dashboardBuild !== undefined) dashboardFolder.set(ctx, dashboardBuild);
  if (connectBuild !== undefined) connectPageFolder.set(ctx, connectBuild);
  if (takesPeople) {
    const dashboardFolders = config.dashboard ? [dashboardFolder.of(ctx)] : [];
    await keepPageFiles(ctx, [connectPageFolder.of(ctx), ...dashboardFolders]);
  }
  const listen = serve ?? (async () => await app.listen({ host, port }));
  settings.port = await listen(urls).catch((error: unknown) => {
    throw toListenFault(error, { host, port });
  });

  const setupLink = takesPeople ? await newFirstSetupLink(ctx) : undefined;

  const running = stack.move();
  return {
    url: settings.serverUrl,
    newKeys,
    setupLink,
    metricsPort: telemetry.port,
    quarantinedSince: quarantine.since,
    startedInMs: Math.round(performance.now() - startedAt),
    drain: async () => await app.drain(),
    async [Symbol.asyncDispose]() {
      database.hurry();
      await running.disposeAsync();
    },
  };
}

/** Asked of a database that we did not start ourselves, unless the operator has said it. */
async function isPooled(config: Config, mainUrl: string): Promise<boolean> {
  if (config.databaseUrl === undefined) return false;
  return config.databasePooled === "auto" ? await isPooler(mainUrl) : config.databasePooled;
}

function openPool(options: {
  config: Config;
  connectionString: string;
  pooled: boolean;
  log: Logger;
}): Database {
  const { config, connectionString, pooled, log } = options;
  return openDatabase({
    connectionString,
    maxConnections: config.databaseConnections,
    environmentShare: config.environmentShare,
    pooled,
    onError: (error) => log.warn("database.connection_lost", { message: reasonOf(error) }),
  });
}

async function openKeys(
  { db }: Database,
  source: { config: Config; dataDir: string },
): Promise<Keys> {
  const isEncrypted = await hasDataKeys(db);
  const keys: Keys = {
    ring: await readKeys({ ...source, mayCreate: !isEncrypted }),
    dataKeys: new Map(),
  };
  const problem = isEncrypted ? await verifyMasterKey({ db, keys }) : undefined;
  if (problem !== undefined) throw new Error(problem);
  return keys;
}

async function readKeys({
  config,
  ...place
}: {
  config: Config;
  dataDir: string;
  mayCreate: boolean;
}): Promise<Keys["ring"]> {
  const { encryptionKey, encryptionKeyPrevious: previous } = config;
  return await openMasterKeyRing({ configured: encryptionKey, previous, ...place });
}
