import type { WebhookConnection } from "#connections";
import { getWebhookTargets } from "#environments";
import type { EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import { type EventMatch, matchEvent } from "../match/match-event.ts";
import type { InboundWebhook } from "./inbox.ts";

export interface Handling {
  readonly integration: Integration;
  readonly webhook: InboundWebhook;
}

/**
 * Keys of queues that the webhooks of one transaction lock. All sessions share the memory for locks; a hundred leave most
 * of it to the others.
 */
const MOST_LOCKS = 100;

/** What the webhooks of one transaction have in common, looked up once. */
export class Shared {
  readonly #connections = new Map<string, Promise<WebhookConnection[]>>();
  #hasUrl: Promise<boolean> | undefined;
  #locks = 0;

  async match(
    ctx: EnvironmentContext,
    integration: Integration,
    match: EventMatch,
  ): Promise<WebhookConnection[]> {
    const key = JSON.stringify(match);
    const known = this.#connections.get(key) ?? matchEvent(ctx, integration, match);
    this.#connections.set(key, known);
    return await known;
  }

  /** Whether the transaction may lock so many more keys; they count if so. */
  readonly mayLock = (count: number): boolean => {
    if (this.#locks + count > MOST_LOCKS) return false;
    this.#locks += count;
    return true;
  };

  /** Whether the environment wants webhooks at all, those of connections with an address of their own apart. */
  async hasUrl(ctx: EnvironmentContext): Promise<boolean> {
    this.#hasUrl ??= getWebhookTargets(ctx).then(({ urls }) => urls.length > 0);
    return await this.#hasUrl;
  }
}
