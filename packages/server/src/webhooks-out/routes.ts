import type { RouteInput, webhookDeliveryRoutes } from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { getDelivery } from "./deliveries/get-delivery.ts";
import { getReplay } from "./deliveries/get-replay.ts";
import { listDeliveries } from "./deliveries/list-deliveries.ts";
import { presentDelivery, presentWholeDelivery } from "./deliveries/present-delivery.ts";
import { presentReplay } from "./deliveries/present-replay.ts";
import { readSearch } from "./deliveries/read-search.ts";
import { replayDeliveries } from "./deliveries/replay-deliveries.ts";
import { replayDelivery } from "./deliveries/replay-delivery.ts";
import { enableReceiver } from "./receivers/enable-receiver.ts";
import { listReceivers } from "./receivers/list-receivers.ts";
import { receiverId } from "./receivers/receiver-id.ts";
import { testReceiver } from "./receivers/test-receiver.ts";

const DEFAULT_LIMIT = 100;

export const webhookDeliveryHandlers = {
  listWebhookDeliveries: async (ctx, { query }) => {
    const { limit = DEFAULT_LIMIT, cursor, state, since, until } = query;
    const filter = { ...filterOf(ctx, query), state, since: toDate(since), until: toDate(until) };
    const { deliveries, nextCursor } = await listDeliveries(ctx, { filter, limit, cursor });
    return { data: deliveries.map(presentDelivery), next_cursor: nextCursor };
  },
  getWebhookDelivery: async (ctx, { params }) => ({
    data: presentWholeDelivery(await getDelivery(ctx, params.id)),
  }),
  replayWebhookDelivery: async (ctx, { params }) => ({
    data: presentDelivery(await replayDelivery(ctx, params.id)),
  }),
  replayWebhookDeliveries: async (ctx, { body }) => {
    const { state = "failed", since } = body;
    const replay = await replayDeliveries(ctx, {
      ...filterOf(ctx, body),
      state: state === "any" ? undefined : state,
      since: new Date(since),
      until: toDate(body.until),
    });
    return { data: presentReplay(replay) };
  },
  getWebhookReplay: async (ctx, { params }) => ({
    data: presentReplay(await getReplay(ctx, params.id)),
  }),
  listWebhookReceivers: async (ctx, { query: { url, limit = 20, cursor } }) => {
    const { receivers, next } = await listReceivers(ctx, { url, limit, after: cursor });
    return { data: receivers, next_cursor: next };
  },
  testWebhookReceiver: async (ctx, { body }) => {
    const { url, status, error, answer, durationMs } = await testReceiver(ctx, body.url);
    const delivered = status !== undefined && status >= 200 && status < 300;
    return {
      data: {
        url,
        delivered,
        status: status ?? null,
        error: error ?? null,
        answer,
        duration_ms: durationMs,
      },
    };
  },
  enableWebhookReceiver: async (ctx, { body }) => {
    await enableReceiver(ctx, body);
    return { success: true };
  },
} satisfies RouteHandlers<typeof webhookDeliveryRoutes>;

type Filter = Pick<
  RouteInput<typeof webhookDeliveryRoutes.listWebhookDeliveries>["query"],
  "type" | "connection_id" | "url" | "provider_config_key" | "status" | "search"
>;

function filterOf(ctx: EnvironmentContext, filter: Filter) {
  const { type, connection_id: connectionId, url, status, search } = filter;
  const receiver = url === undefined ? undefined : receiverId(ctx.environment.id, url);
  const integrationKey = filter.provider_config_key;
  return { type, connectionId, receiver, integrationKey, status, ...readSearch(search) };
}

function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
