import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, callApi } from "../api.ts";
import { pagedQuery } from "../paged-query.ts";
import { endOf, type Period, startOf } from "../ranges.ts";

export type Delivery = AnswerOf<"listWebhookDeliveries">["data"][number];
export type WholeDelivery = AnswerOf<"getWebhookDelivery">["data"];
export type Receiver = AnswerOf<"listWebhookReceivers">["data"][number];
export type Inbound = AnswerOf<"listInbox">["data"][number];
export type WholeInbound = AnswerOf<"getInboundWebhook">["data"];

/** What a list of deliveries is about; the words of the API. */
export interface DeliveryFilter {
  readonly state?: string | undefined;
  readonly type?: string | undefined;
  readonly connection_id?: string | undefined;
  readonly url?: string | undefined;
  readonly provider_config_key?: string | undefined;
  readonly status?: string | undefined;
  readonly search?: string | undefined;
}

/** What a list of received webhooks is about; the words of the API. */
export interface InboxFilter {
  readonly state?: string | undefined;
  readonly provider_config_key?: string | undefined;
  /** Of that integration. */
  readonly connection_id?: string | undefined;
}

/** How often what is on its way is read again. */
const WATCH_MS = 3000;

export function deliveriesQuery(environment: string, filter: DeliveryFilter, period: Period) {
  return pagedQuery(
    ["deliveries", environment, period, filter],
    async ({ query: page, readAt, signal }) => {
      const query = Object({
        ...filter,
        ...page,
        since: startOf(period, readAt),
        until: endOf(period),
      });
      return await callApi("listWebhookDeliveries", { environment, query, signal });
    },
  );
}

export function deliveryQuery(environment: string, id: string) {
  return queryOptions({
    queryKey: ["delivery", environment, id],
    queryFn: async ({ signal }) =>
      (await callApi("getWebhookDelivery", { environment, params: { id }, signal })).data,
    refetchInterval: ({ state }) => state.data?.state === "waiting" && WATCH_MS,
  });
}

/** How one address does; nothing when no webhook went there. */
export function receiverQuery(environment: string, url: string) {
  return queryOptions({
    queryKey: ["receivers", environment, url],
    queryFn: async ({ signal }) => {
      const { data } = await callApi("listWebhookReceivers", {
        environment,
        query: { url },
        signal,
      });
      return data[0] ?? null;
    },
  });
}

const MOST_RECEIVERS = 100;

export function receiversQuery(environment: string) {
  return queryOptions({
    queryKey: ["receivers", environment],
    queryFn: async ({ signal }) => {
      const query = Object({ limit: String(MOST_RECEIVERS) });
      return (await callApi("listWebhookReceivers", { environment, query, signal })).data;
    },
  });
}

export function inboxQuery(environment: string, filter: InboxFilter, period: Period) {
  return pagedQuery(
    ["inbox", environment, period, filter],
    async ({ query: page, readAt, signal }) => {
      const query = Object({
        ...filter,
        ...page,
        from: startOf(period, readAt),
        to: endOf(period),
      });
      return await callApi("listInbox", { environment, query, signal });
    },
  );
}

export function inboundQuery(environment: string, id: string) {
  return queryOptions({
    queryKey: ["inbound", environment, id],
    queryFn: async ({ signal }) =>
      (await callApi("getInboundWebhook", { environment, params: { id }, signal })).data,
    refetchInterval: ({ state }) => state.data?.state === "waiting" && WATCH_MS,
  });
}

export type WebhookIntake = AnswerOf<"listWebhookIntake">["data"][number];

/** When webhooks last came for an integration, and which were rejected. */
export function intakeQuery(environment: string, integration: string) {
  return queryOptions({
    queryKey: ["inbox", environment, "intake", integration],
    queryFn: async ({ signal }) => {
      const query = Object({ provider_config_key: integration });
      const { data } = await callApi("listWebhookIntake", { environment, query, signal });
      return data[0] ?? null;
    },
  });
}

/** The same of all integrations, as far as one page has them. */
export function intakesQuery(environment: string) {
  return queryOptions({
    queryKey: ["inbox", environment, "intake"],
    queryFn: async ({ signal }) => {
      const query = Object({ limit: "500" });
      return (await callApi("listWebhookIntake", { environment, query, signal })).data;
    },
  });
}

/** The most of a page: a count that ends there is "at least". */
const COUNTED = 500;

/** How many a replay would take, as far as one page can count. */
export interface Matched {
  readonly count: number;
  readonly hasMore: boolean;
}

export function matchedDeliveriesQuery(environment: string, filter: object) {
  return queryOptions({
    queryKey: ["deliveries", environment, "matched", filter],
    queryFn: async ({ signal }) => {
      const query = Object({ ...filter, limit: String(COUNTED) });
      return toMatched(await callApi("listWebhookDeliveries", { environment, query, signal }));
    },
  });
}

export function matchedInboxQuery(environment: string, filter: object) {
  return queryOptions({
    queryKey: ["inbox", environment, "matched", filter],
    queryFn: async ({ signal }) => {
      const query = Object({ ...filter, limit: String(COUNTED) });
      return toMatched(await callApi("listInbox", { environment, query, signal }));
    },
  });
}

function toMatched(page: {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}): Matched {
  return { count: page.data.length, hasMore: page.next_cursor !== null };
}
