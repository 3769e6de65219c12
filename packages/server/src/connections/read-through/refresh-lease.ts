import { setTimeout as sleep } from "node:timers/promises";
import type { Minted } from "#auth-modes";
import { AppError, type ConnectionUuid, type EnvironmentContext, SECOND } from "#foundation";
import { catchUpCaches } from "#foundation/cache";
import type { Integration } from "#integrations";
import type { Connection } from "../connection.ts";
import { requireUnfrozen } from "../freeze/require-unfrozen.ts";
import { toIdleSchedule } from "../idle/idle-schedule.ts";
import { isKnownDead, leaseOwner } from "../refresh/lease-owner.ts";
import {
  type Attempt,
  claimRefresh,
  findRefresh,
  releaseRefresh,
  storeRenewed,
} from "../refresh/store.ts";
import { refreshIdleMs } from "../renewal-times.ts";
import { hashHeldToken } from "../revoke/held-token.ts";
import { sealCredentials } from "../sealed-credentials.ts";
import { storeReadThrough } from "./store.ts";

const LEASE_MS = 75 * SECOND;
const PATIENCE_MS = 15 * SECOND;
const PAUSE_MS = 100;

/** A connection that nobody else refreshes meanwhile. */
export interface Leased {
  readonly connection: Connection;
  readonly attempt: Attempt;
}

/**
 * Does the work while no process refreshes the connection; it has 60 s. Throws unknown_connection, connection_frozen,
 * and refresh_in_progress when another refresh does not end within 15 s.
 */
export async function withRefreshLease<Result>(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
  work: (leased: Leased) => Promise<Result>,
): Promise<Result> {
  const connection = await claim(ctx, uuid);
  const attempt = {
    uuid,
    version: connection.credentialVersion,
    fence: connection.refresh.fence,
  };
  try {
    return await work({ connection, attempt });
  } finally {
    // Where the database is what failed, the lease ends by itself.
    await releaseRefresh(ctx.db, ctx.environment.id, attempt).catch(() => undefined);
    await catchUpCaches(ctx);
  }
}

async function claim(ctx: EnvironmentContext, uuid: ConnectionUuid): Promise<Connection> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const watched = await findRefresh(ctx.db, ctx.environment.id, uuid);
    if (watched === undefined) throw new AppError("unknown_connection");
    requireUnfrozen(watched.connection);
    const { owner } = watched;
    const claimed = await claimRefresh(ctx.db, ctx.environment.id, {
      uuid,
      version: watched.connection.credentialVersion,
      leaseMs: LEASE_MS,
      owner: leaseOwner,
      deadOwner: owner !== undefined && isKnownDead(owner) ? owner : undefined,
      now: ctx.clock.now(),
      force: true,
    });
    if (claimed !== undefined) return claimed;
    if (performance.now() > until) throw new AppError("refresh_in_progress");
    await sleep(PAUSE_MS, undefined, { signal: ctx.signal });
  }
}

/**
 * Says who refreshes from now on, an old platform or this server (null), and when somebody looks at it though nobody
 * asks. False when the credentials were replaced meanwhile. May run in a transaction.
 */
export async function setReadThrough(
  ctx: EnvironmentContext,
  attempt: Attempt,
  change: { readonly readThrough: string | null; readonly lookAt: Date | null },
): Promise<boolean> {
  return await storeReadThrough(ctx.db, ctx.environment.id, attempt, change);
}

/**
 * Stores credentials under a lease, and who refreshes them from now on: an old platform, or this server (null).
 * Undefined when they were replaced meanwhile. May run in a transaction.
 */
export async function storeUnderLease(
  ctx: EnvironmentContext,
  { attempt, integration }: { readonly attempt: Attempt; readonly integration: Integration },
  { minted, readThrough }: { readonly minted: Minted; readonly readThrough: string | null },
): Promise<Connection | undefined> {
  const { credentials, expiresAt, reauthorizeBy, capturedConfig } = minted;
  const issuedAt = ctx.clock.now();
  return await storeRenewed(ctx.db, ctx.environment.id, attempt, {
    sealedCredentials: await sealCredentials(ctx, attempt.uuid, credentials),
    heldTokenHash: await hashHeldToken(ctx, credentials),
    ...{ issuedAt, expiresAt, reauthorizeBy, capturedConfig, readThrough },
    idle: toIdleSchedule(minted, issuedAt, refreshIdleMs(ctx, integration)),
  });
}
