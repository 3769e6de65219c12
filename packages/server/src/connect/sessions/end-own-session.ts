import type { EnvironmentContext } from "#foundation";
import { endConnectSession } from "./end-connect-session.ts";
import { getOwnSession } from "./get-own-session.ts";

/** Ends the calling session. */
export async function endOwnSession(ctx: EnvironmentContext): Promise<void> {
  await endConnectSession(ctx, (await getOwnSession(ctx)).id);
}
