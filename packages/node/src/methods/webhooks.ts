import type {
  ChangedWebhookSettings,
  InboundWebhook,
  InboundWebhookWithHeaders,
  InboxReplay,
  InboxReplayed,
  ListedInboundWebhook,
  ListWebhookReceiversQuery,
  RevealedWebhookBody,
  Success,
  WebhookArrivals,
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
  WebhookIntake,
  WebhookReceiver,
  WebhookReplay,
  WebhookReplayProgress,
  WebhookSettingsWithKeys,
  WebhookSigningKeys,
  WebhookTest,
} from "../api-types/index.ts";
import { encode } from "../calls/request-parts.ts";
import type { InboxQuery, WebhookDeliveryQuery, WebhookSettings } from "../management.ts";
import type { ChangeOptions, WebhookArrivalsFilter, WebhookIntakeFilter } from "../requests.ts";
import { Resource } from "./resource.ts";

/** Where webhooks go, and the keys that sign them. */
export class WebhookSettingsOfKey extends Resource {
  async get(): Promise<{ data: WebhookSettingsWithKeys }> {
    return await this.http.json({ method: "GET", path: "/environment/webhooks" });
  }

  async update(body: Partial<WebhookSettings>): Promise<{ data: ChangedWebhookSettings }> {
    return await this.http.json({ method: "PATCH", path: "/environment/webhooks", body });
  }

  /** The old key signs next to the new one for 24 hours, or ends at once. */
  async rotateSigningKey(
    body: { immediate?: boolean } = {},
    options: ChangeOptions = {},
  ): Promise<{ data: { webhook_signing_key: string } }> {
    const path = "/environment/webhook-signing-key/rotate";
    return await this.http.json({ ...options, method: "POST", path, body });
  }

  /** The keys that sign webhooks; the key needs `environment:secrets:reveal`. */
  async revealSigningKeys(): Promise<{ data: WebhookSigningKeys }> {
    return await this.http.json({ method: "POST", path: "/environment/webhooks/reveal" });
  }
}

/** Webhooks that were sent, and sending them again. */
export class WebhookDeliveries extends Resource {
  /** Newest first; `next_cursor` is null at the end. */
  async list(
    query: WebhookDeliveryQuery = {},
  ): Promise<{ data: WebhookDelivery[]; next_cursor: string | null }> {
    return await this.http.json({
      method: "GET",
      path: "/webhooks/deliveries",
      query,
    });
  }

  async get(id: string): Promise<{ data: WebhookDeliveryWithAttempts }> {
    return await this.http.json({ method: "GET", path: deliveryPath(id) });
  }

  /** Sends it again, now, under its id. */
  async replay(id: string, options: ChangeOptions = {}): Promise<{ data: WebhookDelivery }> {
    const path = `${deliveryPath(id)}/replay`;
    return await this.http.json({ ...options, method: "POST", path });
  }

  /** Sends again what failed since a time, or what else is named; what is more than a request has time for continues after it. */
  async replayMany(
    body: WebhookReplay,
    options: ChangeOptions = {},
  ): Promise<{ data: WebhookReplayProgress }> {
    const path = "/webhooks/deliveries/replay";
    return await this.http.json({ ...options, method: "POST", path, body });
  }

  /** How far a replay has got. */
  async getReplay(id: string): Promise<{ data: WebhookReplayProgress }> {
    return await this.http.json({ method: "GET", path: `/webhooks/replays/${encode(id)}` });
  }
}

/** Addresses that webhooks go to. */
export class WebhookReceivers extends Resource {
  /** Addresses that webhooks go to, and how they do; `next_cursor` is null at the end. */
  async list(
    query: ListWebhookReceiversQuery = {},
  ): Promise<{ data: WebhookReceiver[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/webhooks/receivers", query });
  }

  /** Sends a signed event of type `test` now; to the primary address unless one is named. */
  async test(body: { url?: string } = {}): Promise<{ data: WebhookTest }> {
    return await this.http.json({ method: "POST", path: "/webhooks/receivers/test", body });
  }

  /** Sends to an address again that was disabled after failing for days. */
  async enable(body: { url: string }, options: ChangeOptions = {}): Promise<Success> {
    const path = "/webhooks/receivers/enable";
    return await this.http.json({ ...options, method: "POST", path, body });
  }
}

/** Webhooks that providers have sent. */
export class Inbox extends Resource {
  /** What providers have sent, newest first; `next_cursor` is null at the end. */
  async list(
    query: InboxQuery = {},
  ): Promise<{ data: ListedInboundWebhook[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/webhooks/inbox", query });
  }

  /** How webhooks arrive for each connection: how many, how often, with which gaps. */
  async listConnections(
    query: WebhookArrivalsFilter = {},
  ): Promise<{ data: WebhookArrivals[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/webhooks/inbox/connections", query });
  }

  /** When webhooks last came for each integration, and how many were rejected in the last 24 hours, and why. */
  async listIntegrations(
    query: WebhookIntakeFilter = {},
  ): Promise<{ data: WebhookIntake[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/webhooks/inbox/integrations", query });
  }

  async get(id: string): Promise<{ data: InboundWebhookWithHeaders }> {
    return await this.http.json({ method: "GET", path: inboxPath(id) });
  }

  /** The bytes as the provider sent them, over which its signature can be checked again. */
  async getBody(id: string): Promise<ArrayBuffer> {
    const response = await this.http.send({ method: "GET", path: `${inboxPath(id)}/body` }, {});
    return await response.arrayBuffer();
  }

  /** The first 256 KB of the body in base64, for a person to read; each call is in the audit log. */
  async revealBody(id: string): Promise<{ data: RevealedWebhookBody }> {
    return await this.http.json({ method: "POST", path: `${inboxPath(id)}/reveal` });
  }

  /** Handles it again, although its events were handled before. */
  async replay(id: string, options: ChangeOptions = {}): Promise<{ data: InboundWebhook }> {
    const path = `${inboxPath(id)}/replay`;
    return await this.http.json({ ...options, method: "POST", path });
  }

  /** Handles those of a time again, at most 1,000 in one call; `next_from` begins the next one. */
  async replayMany(
    body: InboxReplay,
    options: ChangeOptions = {},
  ): Promise<{ data: InboxReplayed }> {
    const path = "/webhooks/inbox/replay";
    return await this.http.json({ ...options, method: "POST", path, body });
  }
}

function inboxPath(id: string): string {
  return `/webhooks/inbox/${encode(id)}`;
}

function deliveryPath(id: string): string {
  return `/webhooks/deliveries/${encode(id)}`;
}
