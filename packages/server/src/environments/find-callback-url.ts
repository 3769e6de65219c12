import type { EnvironmentContext } from "#foundation";
import { getEnvironmentSettings } from "./settings/get-environment-settings.ts";

/** Where providers send the browser back: the environment's own address, which leads here, or ours. */
export async function findCallbackUrl(ctx: EnvironmentContext): Promise<string> {
  const { callback_url: own } = await getEnvironmentSettings(ctx);
  return own || `${ctx.settings.serverUrl}/oauth/callback`;
}
