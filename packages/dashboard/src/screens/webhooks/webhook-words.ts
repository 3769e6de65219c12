import type { Delivery, Inbound, Matched, Receiver } from "../../data/environment/webhooks.ts";
import type { Tone } from "../../parts/badge.tsx";
import { formatNumber } from "../../parts/formats.ts";
import type { Target } from "../../parts/go.tsx";
import { homeOf } from "../../start/environment-address.ts";

export const deliveryTones: Readonly<Record<Delivery["state"], Tone>> = {
  waiting: "run",
  held: "warn",
  delivered: "good",
  failed: "bad",
};

export const receiverTones: Readonly<Record<Receiver["state"], Tone>> = {
  ok: "good",
  failing: "warn",
  disabled: "bad",
};

export const inboundTones: Readonly<Record<Inbound["state"], Tone>> = {
  waiting: "run",
  handled: "good",
  duplicate: "idle",
  failed: "bad",
};

export function deliveriesPath(environment: string): string {
  return `${homeOf(environment)}/webhooks/out`;
}

export function inboxPath(environment: string): string {
  return `${homeOf(environment)}/webhooks/in`;
}

export function deliveryPage(environment: string, id: string): Target {
  return { to: `${deliveriesPath(environment)}/${encodeURIComponent(id)}` };
}

export function inboundPage(environment: string, id: string): Target {
  return { to: `${inboxPath(environment)}/${encodeURIComponent(id)}` };
}

/** What the last attempt came to: the answer's status, else why none came. */
export function outcomeOf({
  last_status: status,
  last_error: error,
}: Pick<Delivery, "last_status" | "last_error">): string {
  return status === null ? (error ?? "") : String(status);
}

/** `12`, or `500+` where there are more. */
export function countOf({ count, hasMore }: Matched): string {
  return hasMore ? `${formatNumber(count)}+` : formatNumber(count);
}

/** The oldest time that a call takes, for a range without a beginning. */
export const BEGINNING = "1970-01-01T00:00:00.000Z";
