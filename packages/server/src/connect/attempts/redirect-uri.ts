import { getEnvironmentSettings } from "#environments";
import type { EnvironmentContext } from "#platform";

/** Where providers send the browser back: the environment's own address, which leads here, or ours. */
export async function findRedirectUri(ctx: EnvironmentContext): Promise<string> {
  const { callback_url: own } = await getEnvironmentSettings(ctx);
  return own || `${ctx.settings.serverUrl}/oauth/callback`;
}
