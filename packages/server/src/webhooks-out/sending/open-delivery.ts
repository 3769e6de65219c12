import assert from "node:assert";
import type { EnvironmentContext } from "#foundation";
import { open } from "#vault";
import { headersAad, joinBody, payloadAad } from "../delivery.ts";
import { openOwn, openShared } from "../open-body.ts";
import { type ClaimedDelivery, findPayload } from "./store.ts";

export type Headers = Readonly<Record<string, string>>;

export interface OpenedDelivery {
  readonly body: Buffer;
  /** Sent along. */
  readonly along: Headers;
}

interface Kept {
  readonly opened: Promise<OpenedDelivery>;
  users: number;
}

/** What several deliveries send is read once for all that are on their way together. */
export class DeliveryOpener {
  readonly #payloads = new Map<string, Kept>();

  /** Hands what is sent to `send`. */
  async with<Result>(
    ctx: EnvironmentContext,
    delivery: ClaimedDelivery,
    send: (opened: OpenedDelivery) => Promise<Result>,
  ): Promise<Result> {
    const { id, environmentId, payloadId, headers } = delivery;
    const body = await openOwn(ctx, delivery);
    if (payloadId === null) {
      const along = headers && (await open(ctx, headersAad(environmentId, id), headers));
      return await send({ body, along: readHeaders(along) });
    }
    const kept = this.#payloads.get(payloadId) ?? { opened: openPayload(ctx, payloadId), users: 0 };
    this.#payloads.set(payloadId, kept);
    kept.users += 1;
    try {
      const shared = await kept.opened;
      return await send({ body: joinBody(body, shared.body), along: shared.along });
    } finally {
      kept.users -= 1;
      if (kept.users === 0) this.#payloads.delete(payloadId);
    }
  }
}

async function openPayload(ctx: EnvironmentContext, id: string): Promise<OpenedDelivery> {
  const environmentId = ctx.environment.id;
  const row = await findPayload(ctx.db, environmentId, id);
  assert(row !== undefined, "a delivery's payload is kept as long as the delivery");
  const body = await openShared(ctx, { payloadId: id, payload: row.body });
  const along =
    row.headers && (await open(ctx, payloadAad(environmentId, id, "headers"), row.headers));
  return { body, along: readHeaders(along) };
}

function readHeaders(text: Buffer | null): Headers {
  return text === null ? {} : asHeaders(JSON.parse(text.toString()));
}

// Authenticated encryption: what opens is what sendWebhook was given.
function asHeaders(value: unknown): Headers {
  return value as Headers;
}
