import type { FailingReceiver } from "#environments";
import type { EnvironmentContext } from "#foundation";
import { listFailingReceivers } from "./store.ts";

const SHOWN = 100;

/** Answers the environment's settings, which show them. */
export async function findFailingReceivers(
  ctx: EnvironmentContext,
): Promise<readonly FailingReceiver[]> {
  return await listFailingReceivers(ctx.db, ctx.environment.id, SHOWN);
}
