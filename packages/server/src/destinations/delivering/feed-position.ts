import type { FeedReader } from "#records";

/** Where a reader of the feed is. */
export type FeedPosition = FeedReader["at"];

export function isBehind(one: FeedPosition, other: FeedPosition): boolean {
  if (one.position !== other.position) return one.position > other.position;
  return one.sequence > other.sequence;
}
