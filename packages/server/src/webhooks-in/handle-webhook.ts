import { createHash } from "node:crypto";
import type { Connection } from "#connections";
import { getWebhookTargets } from "#environments";
import type { Integration } from "#integrations";
import {
  type EnvironmentContext,
  type EnvironmentId,
  newTimeId,
  type OperationId,
} from "#platform";
import { runWebhookHandlers } from "#syncs";
import { open } from "#vault";
import { sendToEach, sendWebhook } from "#webhooks-out";
import { findRouter } from "./find-router.ts";
import { toForwardedHeaders } from "./forwarded-headers.ts";
import { type InboundWebhook, requestPlace } from "./inbox.ts";
import { decodeContent, unpackRequest } from "./kept-request.ts";
import { matchEvent } from "./match-event.ts";
import type { InboundEvent, InboundRequest } from "./router.ts";
import { rememberEvent } from "./store.ts";

export interface Handling {
  readonly integration: Integration;
  readonly webhook: InboundWebhook;
}

/** What the webhooks of one transaction have in common, looked up once. */
export class Shared {
  readonly #connections = new Map<string, Promise<Connection[]>>();
  #hasUrl: Promise<boolean> | undefined;

  async match(ctx: EnvironmentContext, integration: Integration, event: InboundEvent) {
    const key = JSON.stringify(event.match);
    const known = this.#connections.get(key) ?? matchEvent(ctx, integration, event);
    this.#connections.set(key, known);
    return await known;
  }

  /** Whether the environment wants webhooks at all, those of connections with an address of their own apart. */
  async hasUrl(ctx: EnvironmentContext): Promise<boolean> {
    this.#hasUrl ??= getWebhookTargets(ctx).then(({ urls }) => urls.length > 0);
    return await this.#hasUrl;
  }
}

/** What a webhook came to; it is the subject of an operation in the logs. */
export interface Handled extends Handling {
  readonly operationId: OperationId;
  readonly state: "handled" | "duplicate";
  readonly connections: readonly Connection[];
  readonly duplicates: number;
  readonly runs: number;
}

/** The request of a kept webhook, its content without coding. */
export async function openRequest(
  ctx: EnvironmentContext,
  { id, request }: { id: string; request: Buffer },
  environmentId: EnvironmentId = ctx.environment.id,
): Promise<InboundRequest> {
  return unpackRequest(await open(ctx, requestPlace(environmentId, id), request));
}

/** Passes on every event of a webhook: to the customer and to functions, in the caller's transaction. */
export async function handleWebhook(
  ctx: EnvironmentContext,
  handling: Handling & { readonly shared: Shared },
): Promise<Handled> {
  const { integration, webhook, shared } = handling;
  const request = await openRequest(ctx, webhook);
  const events = findRouter(integration).read(await decodeContent(request));
  const operationId = newTimeId<OperationId>(webhook.receivedAt);
  const passing = { ...handling, request, operationId };
  const found = new Map<string, Connection>();
  let duplicates = 0;
  let runs = 0;
  for (const event of events) {
    if (!(await isNew(ctx, handling, event))) {
      duplicates += 1;
      continue;
    }
    const connections = await shared.match(ctx, integration, event);
    for (const connection of connections) found.set(connection.uuid, connection);
    await forward(ctx, passing, event, connections);
    runs += await runWebhookHandlers(ctx, {
      integration,
      connections: connections.map(({ uuid }) => uuid),
      types: event.types,
      payload: event.payload,
    });
  }
  const isDuplicate = duplicates > 0 && duplicates === events.length;
  return {
    ...handling,
    operationId,
    state: isDuplicate ? "duplicate" : "handled",
    connections: [...found.values()],
    duplicates,
    runs,
  };
}

/**
 * The same event may go to several subscriptions, one for each connection, so where it goes counts too. What nobody
 * has signed is no repetition of what the provider has: a stranger's id must not take the place of a real one.
 */
async function isNew(
  ctx: EnvironmentContext,
  { integration, webhook }: Handling,
  { id, match }: InboundEvent,
): Promise<boolean> {
  if (id === undefined) return true;
  const hash = createHash("sha256")
    .update(JSON.stringify([id, match, webhook.isVerified]))
    .digest()
    .subarray(0, 16);
  const lane = { environmentId: ctx.environment.id, integrationId: integration.id };
  return await rememberEvent(ctx.db, lane, { hash, now: ctx.clock.now() });
}

interface Passing extends Handling {
  readonly shared: Shared;
  readonly request: InboundRequest;
  readonly operationId: OperationId;
}

/** One for each connection, or one without any (platform specification, "Forwarded webhooks"). */
async function forward(
  ctx: EnvironmentContext,
  { integration, webhook, request, operationId, shared }: Passing,
  { payload }: InboundEvent,
  connections: readonly Connection[],
): Promise<void> {
  if (!integration.forwardWebhooks) return;
  const hasUrl = await shared.hasUrl(ctx);
  if (!hasUrl && connections.every(({ webhookUrlOverride }) => !webhookUrlOverride)) return;
  const headers = {
    ...toForwardedHeaders(request.headers, ctx.settings.compatPrefix),
    "x-svc-webhook-id": webhook.id,
    "x-svc-webhook-verified": webhook.isVerified ? "signature" : "none",
  };
  const body = {
    from: integration.provider,
    type: "forward",
    providerConfigKey: integration.uniqueKey,
    payload,
    ...(integration.settings.forward_raw === true && { raw: request.body.toString("base64") }),
  };
  if (connections.length === 0) {
    await sendWebhook(ctx, { type: "forward", body, headers, operationId });
    return;
  }
  const targets = connections.map(({ uuid, connectionId, webhookUrlOverride }) => ({
    connection: uuid,
    connectionId,
    overrideUrl: webhookUrlOverride,
  }));
  await sendToEach(ctx, { type: "forward", body, headers, operationId }, targets);
}
