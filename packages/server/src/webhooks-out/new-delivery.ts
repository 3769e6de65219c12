import { getWebhookTargets } from "#environments";
import {
  type ConnectionUuid,
  type DeliveryId,
  type EnvironmentContext,
  newTimeId,
  type OperationId,
} from "#foundation";
import { receiverId } from "./receivers/receiver-id.ts";
import type { NewDelivery } from "./store.ts";

export interface WebhookContent {
  readonly type:
    | "auth"
    | "sync"
    | "async_action"
    | "forward"
    | "problem"
    | "audit"
    | "agent_approval"
    | "agent_tool_changed"
    | "canary";
  readonly body: Readonly<Record<string, unknown>>;
  readonly operationId?: OperationId | undefined;
  /** Sent along; the headers that the server sets itself win. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface WebhookTarget {
  readonly connection?: ConnectionUuid | undefined;
  /** The connection's own address, in place of those of the environment. */
  readonly overrideUrl?: string | null | undefined;
}

export interface OutgoingWebhook extends WebhookContent, WebhookTarget {}

/** Where a webhook of the type goes: nowhere where no address is set, and no forward where none is wanted. */
export async function findUrls(
  ctx: EnvironmentContext,
  { type }: Pick<WebhookContent, "type">,
): Promise<(target: WebhookTarget) => readonly string[]> {
  const { urls, settings } = await getWebhookTargets(ctx);
  if (type === "forward" && !settings.forward) return () => [];
  return ({ overrideUrl }) => (overrideUrl ? [overrideUrl] : urls);
}

/** Due now, without what is sealed. */
export function newDelivery(
  ctx: EnvironmentContext,
  { type, body, connection, operationId }: OutgoingWebhook,
  url: string,
): Omit<NewDelivery, "body" | "headers" | "payloadId"> {
  const now = ctx.clock.now();
  return {
    id: newTimeId<DeliveryId>(now),
    receiverId: receiverId(ctx.environment.id, url),
    type,
    url,
    connectionUuid: connection ?? null,
    connectionId: textOf(body["connectionId"]),
    integrationKey: textOf(body["providerConfigKey"]),
    operationId: operationId ?? null,
    traceparent: ctx.trace.traceparent ?? null,
    nextAttemptAt: now,
    createdAt: now,
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
