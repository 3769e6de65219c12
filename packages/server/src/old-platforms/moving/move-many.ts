import { getConnection, withRefreshLease } from "#connections";
import { AppError, type ConnectionUuid, type EnvironmentContext, SECOND } from "#foundation";
import { getCachedIntegrationById, getIntegration } from "#integrations";
import { recordChange } from "#logs";
import {
  type MovedConnection,
  MoveRefused,
  type MoveState,
  type OldPlatform,
} from "../old-platform.ts";
import { chooseMoved, findMoved, storeRefusal } from "../store.ts";
import { giveBack, resumeGiveBack } from "./hand-back.ts";
import { confirmTakeOver, resumeTakeOver, takeOver } from "./hand-over.ts";
import { requireNoQuarantine } from "./import-connection.ts";
import { type Move, newMove } from "./steps.ts";

const SIDE_BY_SIDE = 4;
// No other connection is begun after it, so that the answer comes in time.
const BEGIN_WITHIN_MS = 20 * SECOND;
// Of the 75 s for which nobody else refreshes the connection.
const MOVE_WITHIN_MS = 55 * SECOND;
const DEFAULT_LIMIT = 10;

export interface Choice {
  readonly connections?:
    | readonly { readonly provider_config_key: string; readonly connection_id: string }[]
    | undefined;
  readonly provider_config_key?: string | undefined;
  readonly limit?: number | undefined;
}

export interface Moves {
  readonly results: readonly { readonly moved: MovedConnection; readonly isDone: boolean }[];
  readonly remaining: number;
}

/** Hands the chosen connections over to this server; throws not_found, unknown_provider_config and quarantined. */
export async function handOver(
  ctx: EnvironmentContext,
  platform: OldPlatform,
  { oldSide, ...choice }: Choice & { readonly oldSide: "delete" | "stopped" },
): Promise<Moves> {
  return await moveMany(ctx, platform, {
    ...{ choice, states: ["read_through", "handing_over"], end: "handed_over" },
    message: "Hand over the connection",
    move: async (ctx, move) => {
      const { state } = move.moved;
      if (state === "read_through") await takeOver(ctx, move, oldSide);
      else if (oldSide === "stopped") await confirmTakeOver(ctx, move);
      else if (state === "handing_over") await resumeTakeOver(ctx, move);
      else throw new MoveRefused("wrong_state", "The connection is on its way back; finish that.");
    },
  });
}

/** Gives the chosen connections back to the old platform; throws not_found, unknown_provider_config and quarantined. */
export async function handBack(
  ctx: EnvironmentContext,
  platform: OldPlatform,
  choice: Choice,
): Promise<Moves> {
  return await moveMany(ctx, platform, {
    ...{ choice, states: ["handed_over", "handing_back"], end: "read_through" },
    message: "Hand back the connection",
    move: async (ctx, move) => {
      const { state } = move.moved;
      if (state === "handed_over") await giveBack(ctx, move);
      else if (state === "handing_back") await resumeGiveBack(ctx, move);
      else throw new MoveRefused("wrong_state", "The connection is being handed over.");
    },
  });
}

interface Work {
  readonly choice: Choice;
  readonly states: readonly MoveState[];
  readonly end: MoveState;
  readonly message: string;
  readonly move: (ctx: EnvironmentContext, move: Move) => Promise<void>;
}

async function moveMany(
  ctx: EnvironmentContext,
  platform: OldPlatform,
  work: Work,
): Promise<Moves> {
  requireNoQuarantine(ctx);
  const { uuids, fitting } = await choose(ctx, platform, work);
  const until = performance.now() + BEGIN_WITHIN_MS;
  const results: { moved: MovedConnection; isDone: boolean }[] = [];
  let tried = 0;
  const waiting = uuids.values();
  const worker = async () => {
    for (const uuid of waiting) {
      if (performance.now() > until || ctx.signal.aborted) return;
      tried += 1;
      await moveOne(ctx, platform, { uuid, work });
      const moved = await findMoved(ctx.db, ctx.environment.id, uuid);
      if (moved !== undefined) results.push({ moved, isDone: moved.state === work.end });
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  return { results, remaining: fitting - tried };
}

async function choose(
  ctx: EnvironmentContext,
  platform: OldPlatform,
  { choice, states }: Work,
): Promise<{ uuids: readonly ConnectionUuid[]; fitting: number }> {
  if (choice.connections === undefined) {
    const key = choice.provider_config_key;
    const integration = key === undefined ? undefined : await getIntegration(ctx, key);
    return await chooseMoved(ctx.db, ctx.environment.id, {
      ...{ oldPlatformId: platform.id, integrationId: integration?.id, states },
      limit: choice.limit ?? DEFAULT_LIMIT,
    });
  }
  const uuids = new Set<ConnectionUuid>();
  for (const { provider_config_key: key, connection_id: connectionId } of choice.connections) {
    const integration = await getIntegration(ctx, key);
    const { uuid } = await getConnection(ctx, { integration, connectionId }, "not_found");
    const moved = await findMoved(ctx.db, ctx.environment.id, uuid);
    if (moved?.oldPlatformId !== platform.id) {
      const message = `The connection ${connectionId} of ${key} does not come from ${platform.name}.`;
      throw new AppError("not_found", message);
    }
    uuids.add(uuid);
  }
  return { uuids: [...uuids], fitting: uuids.size };
}

/** Never throws: why it was refused is stored with the connection. */
async function moveOne(
  caller: EnvironmentContext,
  platform: OldPlatform,
  { uuid, work }: { readonly uuid: ConnectionUuid; readonly work: Work },
): Promise<void> {
  // A caller who hangs up must not leave a move half done.
  const ctx = { ...caller, signal: AbortSignal.timeout(MOVE_WITHIN_MS) };
  const { db, environment } = ctx;
  try {
    const moved = await findMoved(db, environment.id, uuid);
    if (moved === undefined || moved.state === work.end) return;
    await withRefreshLease(ctx, uuid, async (leased) => {
      const current = await findMoved(db, environment.id, uuid);
      if (current === undefined || current.state === work.end) return;
      if (current.state === "reauthorized") {
        const message = "The end user has connected here since: the tokens are this server's own.";
        throw new MoveRefused("wrong_state", message);
      }
      const integration = await getCachedIntegrationById(ctx, current.integrationId);
      await work.move(ctx, newMove(ctx, { platform, integration, moved: current, ...leased }));
    });
    const { integrationKey, connectionId } = moved;
    const meta = { integration: integrationKey, old_platform: platform.name };
    recordChange(ctx, { message: `${work.message} ${connectionId}`, meta });
  } catch (error) {
    const { code, message } = toRefusal(ctx, uuid, error);
    const refusal = { uuid, code, message, now: ctx.clock.now() };
    await storeRefusal(db, environment.id, refusal);
  }
}

function toRefusal(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
  error: unknown,
): Pick<MoveRefused, "code" | "message"> {
  if (error instanceof MoveRefused) return error;
  const code = error instanceof AppError ? error.code : undefined;
  if (code === "connection_frozen") {
    return { code: "frozen", message: "A revocation has frozen the connection." };
  }
  if (code === "refresh_in_progress") {
    return { code: "in_progress", message: "A refresh of the connection is running; try again." };
  }
  if (ctx.signal.aborted) {
    const message = "The old platform did not answer in time; repeat the call.";
    return { code: "old_platform_unreachable", message };
  }
  ctx.log.error("old_platform.move_failed", { connection: uuid, error });
  return { code: "server_error", message: "Something failed on our side; the log has it." };
}
