import type { AuthTools } from "#auth-modes";
import type { EnvironmentContext } from "#foundation";
import { egressOf, type Integration } from "#integrations";
import { countStage } from "#providers";

/** What an auth mode is given to ask the integration's provider. */
export function newAuthTools(
  ctx: EnvironmentContext,
  integration: Pick<Integration, "provider" | "settings">,
  signal: AbortSignal,
) {
  return {
    http: egressOf(ctx, integration),
    now: ctx.clock.now(),
    signal,
    count: countStage(ctx, integration.provider),
  } satisfies AuthTools;
}
