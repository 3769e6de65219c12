import type { InboundRequest } from "../match/router.ts";

/** Vendor and neutral names of a notification channel's headers. */
const PREFIXES = ["x-goog-", "x-cal-"];

export type ChannelField =
  | "channel-id"
  | "channel-token"
  | "resource-id"
  | "resource-uri"
  | "resource-state"
  | "message-number";

export function channelField({ headers }: InboundRequest, name: ChannelField): string | undefined {
  for (const prefix of PREFIXES) {
    const value = headers[`${prefix}${name}`];
    if (value !== undefined && value !== "") return value;
  }
  return undefined;
}

/** A message's number grows within its channel; the first one is always 1. */
export function channelEventId(request: InboundRequest): string | undefined {
  const channel = channelField(request, "channel-id");
  const message = channelField(request, "message-number");
  return channel && message && `${channel}:${message}`;
}
