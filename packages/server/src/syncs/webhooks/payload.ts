import type { EnvironmentContext, RunId } from "#platform";
import { open, type SealPlace, sealJson } from "#vault";

function placeOf(ctx: EnvironmentContext, row: RunId): SealPlace {
  return { environmentId: ctx.environment.id, table: "runs", column: "input", row };
}

export async function sealPayload(
  ctx: EnvironmentContext,
  runId: RunId,
  payload: unknown,
): Promise<Buffer> {
  return await sealJson(ctx, placeOf(ctx, runId), payload);
}

/** JSON text. */
export async function openPayload(
  ctx: EnvironmentContext,
  runId: RunId,
  input: Buffer,
): Promise<Uint8Array> {
  return await open(ctx, placeOf(ctx, runId), input);
}
