import type { WebhookSettings } from "@jackfield/contract";
import { recordChange } from "#logs";
import type { EnvironmentContext } from "#platform";
import { updateWebhookSettingsRow } from "./store.ts";

type Change = { [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined };

/** Changes the fields given; an address that egress would refuse is refused here. */
export async function updateWebhookSettings(
  ctx: EnvironmentContext,
  change: Change,
): Promise<void> {
  for (const url of [change.primary_url, change.secondary_url]) {
    if (url !== undefined && url !== "") await ctx.http.requireAllowedUrl(url);
  }
  await updateWebhookSettingsRow(ctx.db, ctx.environment.id, change, ctx.clock.now());
  const meta = { settings: Object.keys(change) };
  recordChange(ctx, { message: "Change the webhook settings", meta });
}
