import type { EnvironmentContext } from "#foundation";
import { type AssociatedData, open, openJson, seal, sealJson } from "#vault";

type Column = "input" | "outcome";

function aadOf(ctx: EnvironmentContext, column: Column, row: string): AssociatedData {
  return { environmentId: ctx.environment.id, table: "async_actions", column, row };
}

/** Bytes of JSON, as they are. */
export async function sealBytes(
  ctx: EnvironmentContext,
  [column, id]: readonly [Column, string],
  bytes: Uint8Array,
): Promise<Buffer> {
  return await seal(ctx, aadOf(ctx, column, id), bytes);
}

export async function openBytes(
  ctx: EnvironmentContext,
  [column, id]: readonly [Column, string],
  sealed: Buffer,
): Promise<Uint8Array> {
  return await open(ctx, aadOf(ctx, column, id), sealed);
}

export async function sealOutcome(
  ctx: EnvironmentContext,
  id: string,
  outcome: unknown,
): Promise<Buffer> {
  return await sealJson(ctx, aadOf(ctx, "outcome", id), outcome);
}

export async function openOutcome(
  ctx: EnvironmentContext,
  id: string,
  sealed: Buffer,
): Promise<unknown> {
  return await openJson(ctx, aadOf(ctx, "outcome", id), sealed);
}
