import { statfs } from "node:fs/promises";
import type { installationStatusRoutes, RouteOutput } from "@jackfield/contract";
import { requireFirstAccount } from "#accounts";
import { type SystemContext, version } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import type { Backlog } from "#foundation/telemetry";
import { readiness } from "#status";
import { listWorkers } from "#tasks";
import { describeKeyRing } from "#vault";
import { installationFacts } from "./installation-facts.ts";
import { listPartitions } from "./list-partitions.ts";
import { findInstallationId, readDatabaseStatus, readMigrationNames } from "./store.ts";

type Status = RouteOutput<typeof installationStatusRoutes.getInstallation>["data"];

export const installationHandlers = {
  getInstallation: async (ctx) => {
    // Queues and database are of all accounts.
    await requireFirstAccount(ctx, "sees how the installation does");
    return { data: await readStatus(ctx) };
  },
} satisfies RouteHandlers<typeof installationStatusRoutes>;

async function readStatus(ctx: SystemContext): Promise<Status> {
  const { settings } = ctx;
  const { roles, apiProcesses, startedAt } = installationFacts.of(ctx);
  return {
    id: await findInstallationId(ctx.db),
    version,
    node_version: process.versions.node,
    started_at: startedAt.toISOString(),
    uptime_seconds: Math.round(process.uptime()),
    roles: [...roles],
    api_processes: apiProcesses,
    not_ready: (await readiness.of(ctx)()) ?? null,
    quarantined_since: settings.quarantine.since?.toISOString() ?? null,
    workers: await presentWorkers(ctx),
    queue: (await readQueue(ctx)).map(({ kind, depth, oldestSeconds }) => {
      return { kind, depth, oldest_seconds: Math.max(0, oldestSeconds) };
    }),
    database: await readDatabase(ctx),
    disk: await readDisk(ctx),
    partitions: await listPartitions(ctx),
    migrations: await readMigrationNames(ctx.db),
    key_ring: await readKeyRing(ctx),
    egress: presentEgress(ctx),
    recent_failures: presentFailures(ctx),
    sandbox: readSandbox(ctx),
    addresses: {
      server: settings.serverUrl,
      connect: settings.connectUrl,
      dashboard: settings.dashboard ? settings.dashboardUrl : null,
    },
  };
}

async function presentWorkers({ db }: SystemContext): Promise<Status["workers"]> {
  return (await listWorkers(db)).map(({ process, pools, slots, seenAt, isAlive }) => ({
    ...{ process, pools, sync_slots: slots },
    seen_at: seenAt.toISOString(),
    is_alive: isAlive,
  }));
}

/** Kinds of which something waits, what waits longest first. */
async function readQueue(ctx: SystemContext): Promise<readonly Backlog[]> {
  const found: Backlog[] = [];
  for (const read of installationFacts.of(ctx).backlogs) {
    found.push(...(await read(ctx.db, ctx.clock.now())));
  }
  return found
    .filter(({ depth }) => depth > 0)
    .toSorted((one, other) => other.oldestSeconds - one.oldestSeconds);
}

async function readDatabase(ctx: SystemContext): Promise<Status["database"]> {
  const { bytes, connections, busyConnections, maxConnections, ...read } = await readDatabaseStatus(
    ctx.db,
  );
  return {
    version: read.version,
    bytes,
    connections,
    busy_connections: busyConnections,
    pool_size: installationFacts.of(ctx).poolSize,
    max_connections: maxConnections,
    answer_ms: read.answerMs,
  };
}

async function readDisk(ctx: SystemContext): Promise<Status["disk"]> {
  try {
    const { bavail, blocks, bsize } = await statfs(installationFacts.of(ctx).dataDir);
    return { free_bytes: bavail * bsize, total_bytes: blocks * bsize };
  } catch {
    return null;
  }
}

async function readKeyRing(ctx: SystemContext): Promise<Status["key_ring"]> {
  const { dataKeys, underOthers, otherHolders, isRotating } = await describeKeyRing(ctx);
  return {
    data_keys: dataKeys,
    under_other_master_keys: underOthers,
    other_holders: otherHolders,
    is_rotating: isRotating,
  };
}

function presentEgress(ctx: SystemContext): Status["egress"] {
  const { allow, authorities } = installationFacts.of(ctx).egress;
  return { allow: [...allow], added_authorities: authorities };
}

function presentFailures(ctx: SystemContext): Status["recent_failures"] {
  return installationFacts
    .of(ctx)
    .failures.list()
    .map(({ id, method, route, at }) => {
      return { request_id: id, method, route: route ?? null, at: at.toISOString() };
    });
}

function readSandbox({ sandbox }: SystemContext): Status["sandbox"] {
  const { level, reason, filtersCalls, limits, limitsReason, children, idle } = sandbox.describe();
  return {
    level,
    reason: reason ?? null,
    filters_calls: filtersCalls,
    limits,
    limits_reason: limitsReason ?? null,
    processes: children,
    idle_processes: idle,
  };
}
