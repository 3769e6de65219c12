import { AppError, type EnvironmentContext } from "#foundation";
import type { Replay } from "./replay.ts";
import { findReplay } from "./store.ts";

/** Throws not_found. */
export async function getReplay(ctx: EnvironmentContext, id: string): Promise<Replay> {
  const replay = await findReplay(ctx.db, ctx.environment.id, id);
  if (replay !== undefined) return replay;
  throw new AppError("not_found", "No such replay; they are kept as long as deliveries.");
}
