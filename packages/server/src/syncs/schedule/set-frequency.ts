import { MIN_FREQUENCY_MS, parseFrequency } from "@jackfield/contract";
import { noteBefore } from "#audit";
import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { notifyDue } from "#tasks";
import { findTargetSyncs } from "../control/find-target-syncs.ts";
import { findFrequencyOverride, lockSync, updateSync } from "../store.ts";
import { intervalOf } from "./create-syncs.ts";
import { DUE_SYNCS } from "./due-name.ts";
import { nextSlotAfter } from "./next-run.ts";

export interface FrequencyChange {
  readonly integrationKey: string;
  readonly connectionId: string;
  readonly sync: { readonly name: string; readonly variant: string };
  /** Null: as it is deployed. */
  readonly frequency: string | null;
}

/** Sets how often a sync of one connection runs, over deployments; answers it as it was set. */
export async function setFrequency(
  ctx: EnvironmentContext,
  { integrationKey, connectionId, sync: named, frequency }: FrequencyChange,
): Promise<string> {
  const wanted = frequency === null ? undefined : readFrequency(frequency);
  const target = { integrationKey, connectionId, syncs: [named] };
  const { syncs, functions } = await findTargetSyncs(ctx, target);
  const [found] = syncs;
  const fn = found && functions.get(found.functionId);
  if (found === undefined || fn === undefined) {
    throw new AppError(
      "unknown_sync",
      `The connection has no sync "${named.name}" of variant "${named.variant}"; see GET /sync/status.`,
    );
  }
  const intervalMs = wanted?.ms ?? intervalOf(fn);
  await withTransaction(ctx, async (ctx) => {
    const sync = await lockSync(ctx.db, ctx.environment.id, found.id);
    if (sync === undefined) return;
    const set = await findFrequencyOverride(ctx.db, ctx.environment.id, sync.id);
    noteBefore(ctx, { frequency: set ?? fn.definition.frequency });
    const now = ctx.clock.now();
    // What is due, or was asked for, stays as it is.
    const isSlot = sync.followUp === null && sync.nextRunAt !== null && sync.nextRunAt > now;
    const nextRunAt = isSlot ? { nextRunAt: nextSlotAfter(now, { ...sync, intervalMs }) } : {};
    const change = { frequencyOverride: frequency?.trim() ?? null, intervalMs, ...nextRunAt };
    await updateSync(ctx.db, ctx.environment.id, sync.id, change, now);
    await notifyDue(ctx, DUE_SYNCS);
  });
  return frequency?.trim() ?? fn.definition.frequency;
}

function readFrequency(text: string) {
  const parsed = parseFrequency(text);
  if (parsed === undefined) {
    throw new AppError(
      "invalid_body",
      `frequency: "${text}" is not a valid frequency; examples: \`every 15 minutes\`, \`2h\` or \`every 3 weeks\`.`,
    );
  }
  if (parsed.ms >= MIN_FREQUENCY_MS) return parsed;
  throw new AppError(
    "invalid_body",
    `frequency: "${text}" is less than ${MIN_FREQUENCY_MS / 1000} seconds, the shortest there is.`,
  );
}
