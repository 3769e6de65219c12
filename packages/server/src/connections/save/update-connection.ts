import type { EndUser } from "@jackfield/contract";
import { AppError, type EnvironmentContext } from "#foundation";
import { recordChange } from "#logs";
import { withEndUserTags } from "../end-user.ts";
import type { ConnectionForCall } from "../read/find-connection-for-call.ts";
import { changeAttribution } from "../store.ts";
import { subjectOf } from "../subject-of.ts";
import { sealWebhookSecret } from "../webhook-secret.ts";

export interface ConnectionChange {
  /** All tags from now on, together with those of `endUser`; both undefined: they stay. */
  readonly tags: Readonly<Record<string, string>> | undefined;
  readonly endUser: EndUser | undefined;
  /** Empty: none. */
  readonly webhookUrlOverride: string | undefined;
  /** Empty: none. */
  readonly webhookSecret?: string | undefined;
}

/** Changes whom a connection belongs to and where its webhooks go; throws not_found. */
export async function updateConnection(
  ctx: EnvironmentContext,
  { integration, connection }: ConnectionForCall,
  { tags: given, endUser, webhookUrlOverride, webhookSecret: secret }: ConnectionChange,
): Promise<void> {
  if (webhookUrlOverride) await ctx.http.requireAllowedUrl(webhookUrlOverride);
  const tags = withEndUserTags(given, endUser);
  if (tags === undefined && webhookUrlOverride === undefined && secret === undefined) return;
  const now = ctx.clock.now();
  const webhookSecret = secret && (await sealWebhookSecret(ctx, connection.uuid, secret));
  const change = {
    ...{ tags, webhookUrlOverride, now },
    webhookSecret: webhookSecret === "" ? null : webhookSecret,
  };
  if (!(await changeAttribution(ctx.db, ctx.environment.id, connection.uuid, change))) {
    throw new AppError("not_found", `Connection ${connection.connectionId} was just deleted.`);
  }
  recordChange(ctx, {
    message: `Change the connection ${connection.connectionId}`,
    subject: subjectOf(integration, connection),
    meta: {
      ...(tags === undefined ? {} : { tags: Object.keys(tags) }),
      ...(webhookUrlOverride === undefined ? {} : { webhook_url_override: true }),
      ...(secret === undefined ? {} : { webhook_secret: true }),
    },
  });
}
