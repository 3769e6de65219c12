import { LRUCache } from "lru-cache";
import { DAY, SECOND } from "../clock.ts";

/** What a server's answers say about it. */
export interface ServerNote {
  /** How far its clock is ahead of this machine's, in milliseconds; 0 for differences too small to measure. */
  readonly clockAheadMs: number;
  /** The last `DPoP-Nonce` (RFC 9449 section 8), by what it was asked as. */
  readonly dpopNonces: { readonly token?: string; readonly resource?: string };
}

/** Notes on servers, by the origin that is called; in memory, each process for itself. */
export interface ServerNotes {
  find(url: string): ServerNote;
  note(url: string, change: Partial<ServerNote>): void;
}

const nothing: ServerNote = { clockAheadMs: 0, dpopNonces: {} };

// Facts that are forgotten are learned again from the next answer.
const MAX_SERVERS = 2000;

export function createServerNotes(): ServerNotes {
  const notes = new LRUCache<string, ServerNote>({ max: MAX_SERVERS });
  return {
    find: (url) => notes.get(originOf(url)) ?? nothing,
    note(url, change) {
      const origin = originOf(url);
      const known = notes.get(origin) ?? nothing;
      const next = {
        clockAheadMs: change.clockAheadMs ?? known.clockAheadMs,
        dpopNonces: { ...known.dpopNonces, ...change.dpopNonces },
      };
      if (next.clockAheadMs !== 0 || Object.keys(next.dpopNonces).length > 0) {
        notes.set(origin, next);
      } else notes.delete(origin);
    },
  };
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? "";
}

// A Date has whole seconds, and the answer was some time on its way.
const TOLERANCE_MS = 5 * SECOND;

/**
 * How far a server's clock is ahead by the `Date` of an answer (RFC 9110 section 6.6.1) whose head arrived at
 * `receivedAt` by this machine's clock, in milliseconds; undefined when it says nothing usable.
 */
export function readClockAhead(
  {
    date = "",
    age = "0",
  }: { readonly date?: string | undefined; readonly age?: string | undefined },
  receivedAt: number,
): number | undefined {
  // What lay in a cache tells the time at which it was made.
  if (age.trim() !== "0" || !/^[A-Za-z]{3},/.test(date)) return undefined;
  const at = Date.parse(date);
  if (Number.isNaN(at)) return undefined;
  const aheadMs = at + SECOND / 2 - receivedAt;
  // A clock that was never set is no clock to go by.
  if (Math.abs(aheadMs) > DAY) return undefined;
  return Math.abs(aheadMs) <= TOLERANCE_MS ? 0 : aheadMs;
}
