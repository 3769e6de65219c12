import { getWebhookTargets } from "#environments";
import type { EnvironmentContext, OperationId } from "#foundation";
import type { Integration } from "#integrations";
import { sendWebhook } from "#webhooks-out";
import type { Connection } from "./connection.ts";

export interface AuthEvent {
  readonly operation: "creation" | "override" | "refresh";
  readonly integration: Pick<Integration, "uniqueKey" | "provider">;
  /** A connection that was never made has no tags and no uuid. */
  readonly connection: Pick<Connection, "connectionId" | "authMode"> &
    Partial<Pick<Connection, "uuid" | "tags" | "fromSession" | "webhookUrlOverride">>;
  /** Undefined after a success. */
  readonly error?: { readonly type: string; readonly description: string } | undefined;
  readonly operationId?: OperationId | undefined;
}

/** Tells the customer of a connection made, made again or lost, in the caller's transaction. */
export async function sendAuthWebhook(ctx: EnvironmentContext, event: AuthEvent): Promise<void> {
  const { settings } = await getWebhookTargets(ctx);
  if (event.operation === "creation" && !settings.on_auth_creation) return;
  if (event.operation === "refresh" && !settings.on_auth_refresh_error) return;
  const { connection, integration, error, operationId } = event;
  await sendWebhook(ctx, {
    type: "auth",
    body: {
      from: "svc",
      type: "auth",
      operation: event.operation,
      success: error === undefined,
      connectionId: connection.connectionId,
      providerConfigKey: integration.uniqueKey,
      provider: integration.provider,
      environment: ctx.environment.name,
      authMode: connection.authMode,
      ...(connection.tags === undefined ? {} : { tags: connection.tags }),
      ...presentEndUser(connection),
      ...(error === undefined ? {} : { error }),
    },
    connection: connection.uuid,
    overrideUrl: connection.webhookUrlOverride,
    operationId,
  });
}

/** Only for connections of sessions, in the older shape; tags say the same. */
function presentEndUser({ fromSession, tags }: AuthEvent["connection"]) {
  const id = tags?.["end_user_id"];
  if (fromSession !== true || id === undefined) return {};
  const email = tags?.["end_user_email"];
  const organizationId = tags?.["organization_id"];
  return {
    endUser: {
      endUserId: id,
      ...(email === undefined ? {} : { endUserEmail: email }),
      ...(organizationId === undefined ? {} : { organizationId }),
      tags: {},
    },
  };
}
