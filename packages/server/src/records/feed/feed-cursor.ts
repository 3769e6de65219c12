import { AppError } from "#foundation";
import type { FeedHead } from "./store.ts";

/** Where a reader of a feed is: behind all entries up to `position`. */
export interface FeedPosition {
  readonly position: number;
  /** Order number of the last record that was read of the entry at `position + 1`; 0: none. */
  readonly sequence: number;
}

const PATTERN = /^([0-9a-z]{1,11})-([0-9a-z]{1,11})-([0-9a-z]{1,11})$/;
const RADIX = 36;

/** A text of letters, digits and hyphens. */
export function writeFeedCursor(
  { epoch }: Pick<FeedHead, "epoch">,
  { position, sequence }: FeedPosition,
): string {
  return [epoch, position, sequence].map((number) => number.toString(RADIX)).join("-");
}

/** Throws invalid_cursor for a text of another environment, or of a position that the feed does not know. */
export function readFeedCursor(head: FeedHead, cursor: string): FeedPosition {
  const at = parse(head, cursor);
  if (at === undefined) {
    throw new AppError(
      "invalid_cursor",
      "The cursor was altered, or belongs to another environment; start without one.",
    );
  }
  if (isKnown(head, at)) return at;
  throw new AppError(
    "invalid_cursor",
    "The cursor is too old: models that were removed since are not known any more. Start without one, and drop what you have.",
  );
}

/** As `readFeedCursor`, for those who start from the beginning where the feed does not know the position. */
export function findFeedPosition(head: FeedHead, cursor: string): FeedPosition | undefined {
  const at = parse(head, cursor);
  return at !== undefined && isKnown(head, at) ? at : undefined;
}

function parse(head: FeedHead, cursor: string): FeedPosition | undefined {
  const [epoch = Number.NaN, position = Number.NaN, sequence = Number.NaN] = (
    PATTERN.exec(cursor)?.slice(1) ?? []
  ).map((text) => Number.parseInt(text, RADIX));
  const isOfFeed = epoch === head.epoch && Number.isSafeInteger(sequence);
  return isOfFeed && position <= head.position ? { position, sequence } : undefined;
}

function isKnown(head: FeedHead, { position }: FeedPosition): boolean {
  return position >= head.oldestPosition;
}
