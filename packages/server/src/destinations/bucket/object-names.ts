import type { FeedPosition } from "../delivering/feed-position.ts";

const RADIX = 36;
/** Of the largest safe integer in that radix. */
const DIGITS = 11;
const extensions = { ndjson: "ndjson.gz", parquet: "parquet" } as const;

/** What an object holds: the changes of one model from a position of the feed to another. */
export interface ObjectRange {
  /** As it is stored. */
  readonly model: string;
  readonly from: FeedPosition;
  readonly until: FeedPosition;
}

/**
 * The name of an object in its folder. It follows from what is in it, so that who writes it again overwrites it; sorted
 * by name, the objects of a model are in the order of their changes.
 */
export function objectNameOf(
  { model, from, until }: ObjectRange,
  format: keyof typeof extensions,
): string {
  return `${encodeURIComponent(model.replace("::", "."))}/${toText(from)}_${toText(until)}.${extensions[format]}`;
}

function toText({ position, sequence }: FeedPosition): string {
  return [position, sequence]
    .map((number) => number.toString(RADIX).padStart(DIGITS, "0"))
    .join("-");
}
