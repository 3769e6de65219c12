import type { EnvironmentContext } from "#foundation";
import { type AssociatedData, open, seal } from "#vault";
import { findInput } from "./store.ts";

function aadOf(ctx: EnvironmentContext, row: string): AssociatedData {
  return { environmentId: ctx.environment.id, table: "webhook_inputs", column: "input", row };
}

export async function sealPayload(
  ctx: EnvironmentContext,
  inputId: string,
  payload: Uint8Array,
): Promise<Buffer> {
  return await seal(ctx, aadOf(ctx, inputId), payload);
}

/** JSON text; undefined where there is none any more. */
export async function openPayload(
  ctx: EnvironmentContext,
  inputId: string | null,
): Promise<Uint8Array | undefined> {
  if (inputId === null) return undefined;
  const input = await findInput(ctx.db, ctx.environment.id, inputId);
  return input && (await open(ctx, aadOf(ctx, inputId), input));
}
