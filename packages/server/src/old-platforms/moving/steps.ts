import { type Minted, secretConfigOf } from "#auth-modes";
import { type Leased, setReadThrough, storeUnderLease } from "#connections";
import { addMs, type EnvironmentContext, MINUTE } from "#foundation";
import { withTransaction } from "#foundation/db";
import type { Integration } from "#integrations";
import { OldPlatformClient } from "../client/old-platform-client.ts";
import {
  type MovedConnection,
  MoveRefused,
  type MoveState,
  type OldPlatform,
  type OldSide,
} from "../old-platform.ts";
import { storeMove } from "../store.ts";

/** One connection on its way, while nobody else refreshes it. */
export interface Move extends Leased {
  readonly platform: OldPlatform;
  readonly integration: Integration;
  readonly moved: MovedConnection;
  readonly client: OldPlatformClient;
}

export function newMove(
  ctx: EnvironmentContext,
  parts: Omit<Move, "client" | "attempt" | "connection"> & Leased,
): Move {
  return { ...parts, client: new OldPlatformClient(ctx, parts.platform) };
}

// Of a move that was cut off: somebody has to look at it, though nobody calls with the connection.
const LOOK_AFTER_MS = MINUTE;

/** Notes that the old platform is about to be asked: from now on neither side refreshes. */
export async function beginStep(
  ctx: EnvironmentContext,
  { attempt, moved, platform }: Move,
  to: { readonly state: "handing_over" | "handing_back"; readonly taken?: Buffer },
): Promise<void> {
  const now = ctx.clock.now();
  const lookAt = addMs(now, LOOK_AFTER_MS);
  await withTransaction(ctx, async (ctx) => {
    const { db, environment } = ctx;
    const isHeld = await setReadThrough(ctx, attempt, {
      readThrough: platform.id,
      lookAt,
    });
    const oldSide = to.state === "handing_back" ? moved.oldSide : null;
    const change = { uuid: moved.uuid, from: moved.state, to: to.state, taken: to.taken };
    requireHeld(isHeld && (await storeMove(db, environment.id, { ...change, oldSide, now })));
  });
}

/** Takes a step back whose request the old platform has refused. */
export async function undoStep(
  ctx: EnvironmentContext,
  { attempt, moved, platform }: Move,
  { from, to }: { readonly from: MoveState; readonly to: "read_through" | "handed_over" },
): Promise<void> {
  const now = ctx.clock.now();
  const isOwn = to === "handed_over";
  await withTransaction(ctx, async (ctx) => {
    const { db, environment } = ctx;
    const isHeld = await setReadThrough(ctx, attempt, {
      readThrough: isOwn ? null : platform.id,
      lookAt: isOwn ? addMs(now, LOOK_AFTER_MS) : null,
    });
    const oldSide = isOwn ? moved.oldSide : null;
    const change = { uuid: moved.uuid, from, to, oldSide, now };
    requireHeld(isHeld && (await storeMove(db, environment.id, change)));
  });
}

/** Stores the credentials, and who refreshes them from now on, in one transaction. */
export async function completeStep(
  ctx: EnvironmentContext,
  { attempt, integration, moved, platform, connection }: Move,
  end: {
    readonly from: MoveState;
    readonly to: "handed_over" | "read_through";
    readonly oldSide: OldSide | null;
    readonly minted: Minted;
    readonly current: Readonly<Record<string, unknown>>;
  },
): Promise<Minted> {
  const { from, to, oldSide, current } = end;
  const kept = secretConfigOf({ type: connection.authMode, ...current });
  const hasKept = Object.keys(kept).length > 0;
  const credentials = hasKept
    ? { ...end.minted.credentials, connection_config: kept }
    : end.minted.credentials;
  const minted = { ...end.minted, credentials };
  await withTransaction(ctx, async (ctx) => {
    const readThrough = to === "handed_over" ? null : platform.id;
    const target = { attempt, integration };
    const stored = await storeUnderLease(ctx, target, { minted, readThrough });
    const change = { uuid: moved.uuid, from, to, oldSide, now: ctx.clock.now() };
    requireHeld(stored !== undefined && (await storeMove(ctx.db, ctx.environment.id, change)));
  });
  return minted;
}

function requireHeld(isHeld: boolean): void {
  if (isHeld) return;
  throw new MoveRefused("in_progress", "The connection was changed meanwhile; try again.");
}
