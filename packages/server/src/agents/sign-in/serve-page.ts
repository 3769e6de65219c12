import type { FastifyReply } from "fastify";
import { getCachedEnvironment } from "#environments";
import {
  type EnvironmentContext,
  type EnvironmentId,
  type SystemContext,
  withEnvironment,
} from "#foundation";

/** What pages for browsers have in common: whose environment an address names, and where the browser goes next. */
export async function enter(
  ctx: SystemContext,
  environmentId: string,
): Promise<EnvironmentContext> {
  const environment = await getCachedEnvironment(ctx, asEnvironmentId(environmentId.toLowerCase()));
  return withEnvironment(ctx, environment);
}

// The route has checked that it is a UUID; whether it is one of ours is what is asked here.
function asEnvironmentId(id: string): EnvironmentId {
  return id as EnvironmentId;
}

export async function redirect(reply: FastifyReply, location: string): Promise<void> {
  await reply
    .status(303)
    .headers({ location, "cache-control": "no-store", "referrer-policy": "no-referrer" })
    .send();
}
