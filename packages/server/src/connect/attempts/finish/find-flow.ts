import { findState } from "#auth-modes";
import type { SystemContext } from "#foundation";
import { lookupHash } from "#vault";
import { OAUTH_STATE } from "../begin/start-authorization.ts";
import { findFlow, type TakenFlow, takeFlow } from "../store.ts";

export type Parameters = Readonly<Record<string, string>>;

/** Parameters that came once; one that is repeated is as good as absent (RFC 6749 3.1). */
export function toParameters(query: unknown): Parameters {
  const entries = Object.entries(typeof query === "object" && query !== null ? query : {});
  return Object.fromEntries(entries.filter(([, value]) => typeof value === "string"));
}

/** Takes the flow of a callback's state out; undefined when there is none that still runs. */
export async function consumeFlow(
  ctx: SystemContext,
  parameters: Parameters,
): Promise<TakenFlow | undefined> {
  return await readFlow(ctx, parameters, takeFlow);
}

/** The flow of a callback's state, which stays usable. */
export async function findOpenFlow(
  ctx: SystemContext,
  parameters: Parameters,
): Promise<TakenFlow | undefined> {
  return await readFlow(ctx, parameters, findFlow);
}

async function readFlow(
  ctx: SystemContext,
  parameters: Parameters,
  read: typeof takeFlow,
): Promise<TakenFlow | undefined> {
  const state = findState(parameters);
  if (state === undefined) return undefined;
  const flow = await read(ctx.db, await lookupHash(ctx, OAUTH_STATE, state));
  return flow !== undefined && flow.expiresAt > ctx.clock.now() ? flow : undefined;
}
