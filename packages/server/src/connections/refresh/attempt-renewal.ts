import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
  type AuthSubject,
  type Credentials,
  liftSecretConfig,
  type Minted,
  secretConfigOf,
} from "#auth-modes";
import { type EnvironmentContext, reasonOf, SECOND } from "#foundation";
import type { Egress } from "#foundation/egress";
import { noteOutage, noteReached, toAuthSubject } from "#integrations";
import { logMessage } from "#logs";
import type { Connection } from "../connection.ts";
import { frozenCredentialsRenewed, readingThrough } from "../hooks.ts";
import { toIdleSchedule } from "../idle/idle-schedule.ts";
import { newAuthTools } from "../new-auth-tools.ts";
import { refreshIdleMs } from "../renewal-times.ts";
import { hashHeldToken } from "../revoke/held-token.ts";
import { openCredentials, sealCredentials } from "../sealed-credentials.ts";
import { guardHosts } from "./host-breaker.ts";
import type { AttemptInput, RefreshOutcome } from "./refresh-outcome.ts";
import { revokeDiscarded } from "./revoke-discarded.ts";
import { settleFailure } from "./settle-failure.ts";
import { prepareSpool, removeEntry, type Spool, type SpoolEntry } from "./spool.ts";
import { type Attempt, findRefresh, storeRenewed } from "./store.ts";

// Giving up after the provider has rotated would lose the token, so the attempt is patient: 60 s for
// the token endpoint, a little more for all of it.
const UPSTREAM_DEADLINE_MS = 65 * SECOND;
const COMMIT_PATIENCE_MS = 30 * SECOND;
const COMMIT_PAUSE_MS = 250;

/** Asks the provider once and stores what it says; undefined when another attempt has taken over. */
export async function attemptRenewal(
  ctx: EnvironmentContext,
  input: AttemptInput,
): Promise<RefreshOutcome | undefined> {
  const { attempt, operationId } = input;
  const spool = await prepareSpool(ctx, ctx.environment.id);
  const issuedAt = ctx.clock.now();
  await ctx.failpoints.hit("refresh.before_request");
  const environmentId = ctx.environment.id;
  const idleMs = refreshIdleMs(ctx, input.integration);
  const toEntry = (minted: Minted, issued: Date): SpoolEntry => ({
    ...{ environmentId, ...attempt, minted, operationId, idleMs },
    issuedAt: issued,
  });
  let progress: SpoolEntry | undefined;
  const keepProgress = async (minted: Minted): Promise<void> => {
    progress = toEntry(minted, input.connection.credentialsIssuedAt ?? issuedAt);
    await writeToSpool(ctx, spool, progress);
    await ctx.failpoints.hit("refresh.after_progress");
  };
  let minted: Minted;
  try {
    minted = await requestRenewal(ctx, input, { now: issuedAt, keepProgress });
  } catch (error) {
    const reached = await commitProgress(ctx, input, progress);
    return (await settleFailure(ctx, reached, error)) ?? (await readOverridden(ctx, attempt));
  }
  await ctx.failpoints.hit("refresh.after_body");
  const entry = toEntry(minted, issuedAt);
  await writeToSpool(ctx, spool, entry);
  await ctx.failpoints.hit("refresh.before_commit");
  const stored = await commitPatiently(ctx, input, entry);
  await ctx.failpoints.hit("refresh.after_commit");
  if (stored !== undefined) {
    await dropEntry(ctx, entry);
    return { kind: "renewed", connection: stored };
  }
  return await yieldToOther(ctx, input, entry);
}

async function requestRenewal(
  ctx: EnvironmentContext,
  { connection, integration, refresh, force, operationId, attempt }: AttemptInput,
  { now, keepProgress }: { now: Date; keepProgress: (minted: Minted) => Promise<void> },
): Promise<Minted> {
  const credentials = await openCredentials(ctx, connection);
  const config = { ...connection.connectionConfig, ...secretConfigOf(credentials) };
  const subject = await toAuthSubject(ctx, integration, config);
  const signal = AbortSignal.timeout(UPSTREAM_DEADLINE_MS);
  const tools = newAuthTools(ctx, integration, signal);
  const { id: integrationId } = integration;
  const watcher = {
    down: (host: string, reason: string, heldForMs: number) =>
      noteOutage(ctx, { integrationId, host, reason, heldForMs }),
    reached: (host: string) => noteReached(ctx, { integrationId, host }),
  };
  const guarded = {
    ...tools,
    http: markSent(ctx, guardHosts({ ...ctx, http: tools.http }, { force, watcher })),
    now,
    warn: (message: string) =>
      logMessage(ctx, { operationId, level: "warn", source: "internal", context: "auth", message }),
    keepProgress: async (minted: Minted) =>
      await keepProgress(keepSecretConfig(subject, credentials, minted)),
  };
  const minted =
    connection.readThrough === undefined
      ? await refresh(subject, credentials, guarded)
      : await ctx.hooks.ask(readingThrough, ctx, { connection, integration, attempt, force });
  return keepSecretConfig(subject, credentials, minted);
}

/** With a failpoint between a request's leaving and its answer. */
function markSent({ failpoints }: EnvironmentContext, http: Egress): Egress {
  return {
    ...http,
    async request(request) {
      const answer = http.request(request);
      // Awaited below; until then its failure is nobody's.
      answer.catch(() => {});
      await failpoints.hit("refresh.after_request_sent");
      return await answer;
    },
  };
}

/** The refresh token that was replaced before the attempt failed: the next one needs it. */
async function commitProgress(
  ctx: EnvironmentContext,
  input: AttemptInput,
  progress: SpoolEntry | undefined,
): Promise<AttemptInput> {
  if (progress === undefined) return input;
  const stored = await commitPatiently(ctx, input, progress);
  if (stored === undefined) return input;
  await dropEntry(ctx, progress);
  const attempt = { ...input.attempt, version: stored.credentialVersion };
  return { ...input, attempt, connection: { ...stored, refresh: input.connection.refresh } };
}

/** Secret fields of connection_config stay with the credentials, those of this answer among them. */
function keepSecretConfig({ provider }: AuthSubject, before: Credentials, minted: Minted): Minted {
  const kept = secretConfigOf(before);
  const hasKept = Object.keys(kept).length > 0;
  const { credentials, config } = liftSecretConfig(provider, {
    credentials: hasKept ? { ...minted.credentials, connection_config: kept } : minted.credentials,
    config: minted.capturedConfig,
  });
  return { ...minted, credentials, capturedConfig: config };
}

/** Without the spool the answer is still good; only a crash right now would lose it. */
async function writeToSpool(
  ctx: EnvironmentContext,
  spool: Spool,
  entry: SpoolEntry,
): Promise<void> {
  try {
    await spool.write(entry);
  } catch (error) {
    ctx.log.error("connection.spool_failed", { connection: entry.uuid, reason: reasonOf(error) });
  }
}

/** An entry that stays is found to be old by the next replay. */
async function dropEntry(ctx: EnvironmentContext, entry: SpoolEntry): Promise<void> {
  await removeEntry(ctx, entry).catch((error: unknown) =>
    ctx.log.warn("connection.spool_not_cleared", {
      connection: entry.uuid,
      reason: reasonOf(error),
    }),
  );
}

/** A database that is away may come back; what is given up here is replayed from the spool. */
async function commitPatiently(
  ctx: EnvironmentContext,
  { leaseEndsAt }: AttemptInput,
  entry: SpoolEntry,
): Promise<Connection | undefined> {
  const until = Math.min(performance.now() + COMMIT_PATIENCE_MS, leaseEndsAt - SECOND);
  for (;;) {
    try {
      return await commitEntry(ctx, entry);
    } catch (error) {
      if (performance.now() > until) throw error;
      ctx.log.warn("connection.commit_delayed", {
        connection: entry.uuid,
        reason: reasonOf(error),
      });
      await sleep(COMMIT_PAUSE_MS);
    }
  }
}

/** Stores a token answer if it still applies (see storeRenewed). */
export async function commitEntry(
  ctx: EnvironmentContext,
  entry: SpoolEntry,
): Promise<Connection | undefined> {
  const { minted, issuedAt, idleMs } = entry;
  const stored = await storeRenewed(ctx.db, ctx.environment.id, entry, {
    sealedCredentials: await sealCredentials(ctx, entry.uuid, minted.credentials),
    heldTokenHash: await hashHeldToken(ctx, minted.credentials),
    issuedAt,
    expiresAt: minted.expiresAt,
    reauthorizeBy: minted.reauthorizeBy,
    capturedConfig: minted.capturedConfig,
    idle: toIdleSchedule(minted, issuedAt, idleMs),
  });
  if (stored?.frozen !== undefined) {
    await ctx.hooks.tell(frozenCredentialsRenewed, ctx, { connection: stored });
  }
  return stored;
}

/** The answer was not stored by this attempt: it is in already, or it is for nobody, or it has to wait. */
async function yieldToOther(
  ctx: EnvironmentContext,
  input: AttemptInput,
  entry: SpoolEntry,
): Promise<RefreshOutcome | undefined> {
  const current = await findRefresh(ctx.db, ctx.environment.id, entry.uuid);
  // Undefined: the entry stays in the spool until the attempt that has taken over is done.
  if (current?.connection.credentialVersion === entry.version) return undefined;
  await dropEntry(ctx, entry);
  const live = current === undefined ? undefined : await openCredentials(ctx, current.connection);
  if (live === undefined || !isDeepStrictEqual(live, jsonOf(entry.minted.credentials))) {
    await revokeDiscarded(ctx, { ...input, credentials: entry.minted.credentials, live });
  }
  if (current === undefined) return { kind: "gone" };
  return { kind: "renewed", connection: current.connection };
}

/** As it comes back from where it is stored. */
function jsonOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** The credentials were replaced or deleted while the provider answered: what is there now counts. */
async function readOverridden(
  ctx: EnvironmentContext,
  attempt: Attempt,
): Promise<RefreshOutcome | undefined> {
  const current = await findRefresh(ctx.db, ctx.environment.id, attempt.uuid);
  if (current === undefined) return { kind: "gone" };
  if (current.connection.credentialVersion === attempt.version) return undefined;
  return { kind: "renewed", connection: current.connection };
}
