import type {
  InboundWebhook,
  InboundWebhookWithHeaders,
  InboxReplay,
  InboxReplayed,
  Success,
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
  WebhookReceiver,
  WebhookReplay,
  WebhookReplayProgress,
  WebhookTest,
} from "./api-types/index.ts";
import { EnvironmentMethods } from "./environment-methods.ts";
import type { InboxQuery, WebhookDeliveryQuery } from "./management.ts";
import { encode } from "./request-parts.ts";
import type { ChangeOptions } from "./requests.ts";

/** Webhooks that were sent, and sending them again; webhooks that providers have sent. */
export class WebhookMethods extends EnvironmentMethods {
  /** Newest first; `next_cursor` is null at the end. */
  async listWebhookDeliveries(
    query: WebhookDeliveryQuery = {},
  ): Promise<{ data: WebhookDelivery[]; next_cursor: string | null }> {
    return await this.http.json({
      method: "GET",
      path: "/webhooks/deliveries",
      query: { ...query },
    });
  }

  async getWebhookDelivery(id: string): Promise<{ data: WebhookDeliveryWithAttempts }> {
    return await this.http.json({ method: "GET", path: deliveryPath(id) });
  }

  /** Sends it again, now, under its id. */
  async replayWebhookDelivery(
    id: string,
    options: ChangeOptions = {},
  ): Promise<{ data: WebhookDelivery }> {
    const path = `${deliveryPath(id)}/replay`;
    return await this.http.json({ ...options, method: "POST", path });
  }

  /** Sends again what failed since a time, or what else is named; what is more than a request has time for continues after it. */
  async replayWebhookDeliveries(
    body: WebhookReplay,
    options: ChangeOptions = {},
  ): Promise<{ data: WebhookReplayProgress }> {
    const path = "/webhooks/deliveries/replay";
    return await this.http.json({ ...options, method: "POST", path, body });
  }

  /** How far a replay has got. */
  async getWebhookReplay(id: string): Promise<{ data: WebhookReplayProgress }> {
    return await this.http.json({ method: "GET", path: `/webhooks/replays/${encode(id)}` });
  }

  /** Addresses that webhooks go to, and how they do; `next_cursor` is null at the end. */
  async listWebhookReceivers(
    query: { limit?: number; cursor?: string } = {},
  ): Promise<{ data: WebhookReceiver[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/webhooks/receivers", query });
  }

  /** Sends a signed event of type `test` now; to the primary address unless one is named. */
  async testWebhookReceiver(body: { url?: string } = {}): Promise<{ data: WebhookTest }> {
    return await this.http.json({ method: "POST", path: "/webhooks/receivers/test", body });
  }

  /** Sends to an address again that was disabled after failing for days. */
  async enableWebhookReceiver(
    body: { url: string },
    options: ChangeOptions = {},
  ): Promise<Success> {
    const path = "/webhooks/receivers/enable";
    return await this.http.json({ ...options, method: "POST", path, body });
  }

  /** What providers have sent, newest first; `next_cursor` is null at the end. */
  async listInbox(
    query: InboxQuery = {},
  ): Promise<{ data: InboundWebhook[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/webhooks/inbox", query: { ...query } });
  }

  async getInboundWebhook(id: string): Promise<{ data: InboundWebhookWithHeaders }> {
    return await this.http.json({ method: "GET", path: inboxPath(id) });
  }

  /** Handles it again, although its events were handled before. */
  async replayInboundWebhook(
    id: string,
    options: ChangeOptions = {},
  ): Promise<{ data: InboundWebhook }> {
    const path = `${inboxPath(id)}/replay`;
    return await this.http.json({ ...options, method: "POST", path });
  }

  /** Handles those of a time again, at most 1,000 in one call; `next_from` begins the next one. */
  async replayInboundWebhooks(
    body: InboxReplay,
    options: ChangeOptions = {},
  ): Promise<{ data: InboxReplayed }> {
    const path = "/webhooks/inbox/replay";
    return await this.http.json({ ...options, method: "POST", path, body });
  }

  /** The bytes as the provider sent them, over which its signature can be checked again. */
  async getInboundWebhookBody(id: string): Promise<ArrayBuffer> {
    const response = await this.http.send({ method: "GET", path: `${inboxPath(id)}/body` }, {});
    return await response.arrayBuffer();
  }
}

function inboxPath(id: string): string {
  return `/webhooks/inbox/${encode(id)}`;
}

function deliveryPath(id: string): string {
  return `/webhooks/deliveries/${encode(id)}`;
}
