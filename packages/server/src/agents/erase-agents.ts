import type { EnvironmentContext } from "#foundation";
import { deleteDaysOf } from "./calls/days/store.ts";
import { disguiseCallsOf } from "./calls/store.ts";
import { deleteGrantsOf } from "./oauth/store.ts";
import { deleteSessionsOf } from "./sessions/store.ts";
import { deleteAuthorizationsOf } from "./sign-in/store.ts";

/** Ends and removes the sessions of agents that act for the end user; how many there were. */
export async function eraseAgentSessions(
  ctx: EnvironmentContext,
  endUserId: string,
): Promise<number> {
  await deleteGrantsOf(ctx.db, ctx.environment.id, endUserId);
  await deleteDaysOf(ctx.db, ctx.environment.id, endUserId);
  await deleteAuthorizationsOf(ctx.db, ctx.environment.id, endUserId);
  return await deleteSessionsOf(ctx.db, ctx.environment.id, endUserId);
}

/** Takes the end user out of the list of calls, which stays; how many rows it changed. */
export async function eraseFromAgentCalls(
  ctx: EnvironmentContext,
  endUserId: string,
): Promise<number> {
  return await disguiseCallsOf(ctx.db, ctx.environment.id, endUserId);
}
