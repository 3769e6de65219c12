import type { inboxRoutes } from "@jackfield/contract";
import type { EnvironmentId } from "#foundation";
import type { RawExchange, RouteHandlers } from "#foundation/http";
import { describeEvents } from "./inbox/describe-events.ts";
import { getWebhook } from "./inbox/get-webhook.ts";
import { listInbox } from "./inbox/list-inbox.ts";
import { presentBody, presentWebhook, presentWithHead } from "./inbox/present-webhook.ts";
import { listConnectionsOf } from "./listing/list-passed-on.ts";
import { type Receipt, receiveWebhook } from "./receive/receive-webhook.ts";
import { replayWebhook, replayWebhooks } from "./replay/replay-webhooks.ts";

const DEFAULT_LIMIT = 100;

export const inboxHandlers = {
  receiveWebhook: async (ctx, { params }, exchange) => {
    const receipt = await receiveWebhook(ctx, {
      environmentId: asEnvironmentId(params.environmentUuid),
      integrationKey: params.providerConfigKey,
      message: exchange.request.raw,
    });
    await answer(exchange, receipt);
  },
  listInbox: async (ctx, { query }) => {
    const { from, to, cursor, state, limit = DEFAULT_LIMIT } = query;
    const { webhooks, nextCursor } = await listInbox(ctx, {
      integrationKey: query.provider_config_key,
      connectionId: query.connection_id,
      state,
      type: query.type,
      from: from === undefined ? undefined : new Date(from),
      to: to === undefined ? undefined : new Date(to),
      limit,
      cursor,
    });
    const ids = webhooks.map(({ id }) => id);
    const connections = await listConnectionsOf(ctx, ids);
    const data = webhooks.map((webhook) => ({
      ...presentWebhook(webhook),
      connections: [...(connections.get(webhook.id) ?? [])],
    }));
    return { data, next_cursor: nextCursor };
  },
  getInboundWebhook: async (ctx, { params }) => {
    const { webhook, request } = await getWebhook(ctx, params.id.toLowerCase());
    const events = await describeEvents(ctx, webhook, request);
    return { data: { ...presentWithHead(webhook, request), events } };
  },
  getInboundWebhookBody: async (ctx, { params }, { reply }) => {
    const { request } = await getWebhook(ctx, params.id.toLowerCase());
    await reply.headers(asBytes).send(request.body);
  },
  revealInboundWebhookBody: async (ctx, { params }) => {
    const { request } = await getWebhook(ctx, params.id.toLowerCase());
    return { data: presentBody(request) };
  },
  replayInboundWebhook: async (ctx, { params }) => ({
    data: presentWebhook(await replayWebhook(ctx, params.id.toLowerCase())),
  }),
  replayInboundWebhooks: async (ctx, { body }) => {
    const { replayed, nextFrom } = await replayWebhooks(ctx, {
      from: new Date(body.from),
      to: body.to === undefined ? undefined : new Date(body.to),
      onlyFailed: body.state !== "any",
      integrationKey: body.provider_config_key,
      connectionId: body.connection_id,
    });
    return { data: { replayed, next_from: nextFrom?.toISOString() ?? null } };
  },
} satisfies RouteHandlers<typeof inboxRoutes>;

// Regardless of who sent the bytes, no browser may take them for a page of ours.
const noSniffing = { "x-content-type-options": "nosniff" };
const asBytes = {
  ...noSniffing,
  "content-type": "application/octet-stream",
  "content-disposition": "attachment",
};

async function answer({ request, reply }: RawExchange, receipt: Receipt): Promise<void> {
  if (receipt.kind === "stored") {
    await reply.type("application/json").send('{"status":"success"}');
    return;
  }
  if (receipt.kind === "empty") {
    // Some providers ask by HEAD whether anyone is there, and want no other status.
    await reply.status(request.method === "HEAD" ? 200 : 204).send();
    return;
  }
  const { status, contentType, headers, body } = receipt.handshake;
  reply.status(status).headers({ ...noSniffing, ...headers });
  if (contentType !== undefined) reply.type(contentType);
  await reply.send(body);
}

// Any UUID may be asked for; one that names no environment finds none.
function asEnvironmentId(uuid: string): EnvironmentId {
  return uuid.toLowerCase() as EnvironmentId;
}
