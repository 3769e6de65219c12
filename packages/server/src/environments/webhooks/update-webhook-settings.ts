import type { WebhookSettings } from "@jackfield/contract";
import { isFirstAccount } from "#accounts";
import { noteBefore } from "#audit";
import { AppError, type EnvironmentContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import { findWebhookSettings, updateWebhookSettingsRow } from "./store.ts";

type Change = { [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined };

/** Changes the fields given; an address that egress would refuse is refused here. */
export async function updateWebhookSettings(
  ctx: EnvironmentContext,
  change: Change,
): Promise<void> {
  for (const url of [change.primary_url, change.secondary_url]) {
    if (url !== undefined && url !== "") await ctx.http.requireAllowedUrl(url);
  }
  if (change.on_audit_seal === true && !(await isFirstAccount(ctx, ctx.environment.accountId))) {
    throw new AppError(
      "forbidden",
      "on_audit_seal is for the account that the installation was made with.",
    );
  }
  await withTransaction(ctx, async (ctx) => {
    const { id } = ctx.environment;
    noteBefore(ctx, { ...(await findWebhookSettings(ctx.db, id)) });
    await updateWebhookSettingsRow(ctx.db, id, change, ctx.clock.now());
  });
  const meta = { settings: Object.keys(change) };
  recordChange(ctx, { message: "Change the webhook settings", meta });
}
