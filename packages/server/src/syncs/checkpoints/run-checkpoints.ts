import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { CallError } from "#foundation/sandbox";
import { getFunctionById } from "#functions";
import type { RunIdentity } from "#slice";
import { requireLease } from "../runs/require-lease.ts";
import type { Checkpoint } from "../sync.ts";
import {
  type CheckpointPlace,
  findCheckpoint,
  holdsConnection,
  saveCheckpointRow,
} from "./store.ts";

/** What a run knows of its checkpoint: the version that it saw last, undefined before the first look. */
interface Known {
  readonly place: CheckpointPlace;
  version: number | undefined;
}

// Kept with its key: a run of one server.
const knownByRun = new WeakMap<RunIdentity, Known>();

export async function getCheckpoint(
  ctx: EnvironmentContext,
  run: RunIdentity,
): Promise<Checkpoint | null> {
  const known = await knownOf(ctx, run);
  const { checkpoint, version } = await findCheckpoint(ctx.db, ctx.environment.id, known.place);
  known.version = version;
  return checkpoint;
}

/** Saves the checkpoint, null to clear it; 409 `checkpoint_conflict` when another run has saved since. */
export async function saveCheckpoint(
  ctx: EnvironmentContext,
  run: RunIdentity,
  checkpoint: Checkpoint | null,
): Promise<void> {
  const known = await knownOf(ctx, run);
  known.version = await withTransaction(ctx, async (ctx) => {
    await requirePlace(ctx, run);
    const change = { checkpoint, expected: known.version, now: ctx.clock.now() };
    const saved = await saveCheckpointRow(ctx.db, ctx.environment.id, known.place, change);
    if (saved === undefined) {
      throw new AppError(
        "checkpoint_conflict",
        "Another run of this function has saved its checkpoint meanwhile; read it again before you save.",
      );
    }
    return saved;
  });
}

/** A connection that is deleted cancels the runs that have a lease; what others would save outlived it. */
async function requirePlace(ctx: EnvironmentContext, run: RunIdentity): Promise<void> {
  if (run.fence !== undefined) return await requireLease(ctx, run);
  if (await holdsConnection(ctx.db, ctx.environment.id, run.connection)) return;
  throw new CallError({
    type: "script_aborted",
    message: "The connection was deleted; nothing more is stored for it.",
  });
}

async function knownOf(ctx: EnvironmentContext, run: RunIdentity): Promise<Known> {
  const known = knownByRun.get(run);
  if (known !== undefined) return known;
  const { name } = await getFunctionById(ctx, run.functionId);
  const key = [run.kind, name, ...(hasVariants(run) ? [run.variant] : [])].join(":");
  const fresh: Known = { place: { connection: run.connection, key }, version: undefined };
  knownByRun.set(run, fresh);
  return fresh;
}

function hasVariants({ kind }: RunIdentity): boolean {
  return kind === "sync" || kind === "webhook";
}
