import { isUtf8 } from "node:buffer";
import { explainJson, type JsonOddities } from "../json/index.ts";
import { JsonFault, tooMany } from "./json-fault.ts";

/** How deep arrays and objects may stand in each other: what comes after the parser recurses. */
const MAX_DEPTH = 64;

/**
 * Refuses JSON that would pass the parser and break what comes after it: nested too deep for recursion, with more
 * values than the route takes, or with texts and numbers that neither Postgres nor JSON can give back. Returns how many
 * values there are; what is no JSON it leaves to the parser, and counts what comes before that.
 */
export function checkJson(bytes: Buffer, mostValues: number): number {
  if (!isUtf8(bytes)) throw refuse("is not valid UTF-8");
  const found = explainJson(bytes, { maxDepth: MAX_DEPTH, maxValues: mostValues });
  requirePlain(bytes, found.oddities);
  if (!("reason" in found) || found.reason === "not JSON") return found.values;
  if (found.reason === "too many values") throw tooMany("values", mostValues);
  throw refuse(`is nested deeper than ${MAX_DEPTH} levels (at byte ${found.at})`);
}

function requirePlain(bytes: Buffer, { nulAt, halfPairAt, hugeNumber }: JsonOddities): void {
  if (nulAt !== undefined) throw refuse(`holds the character \\u0000 (at byte ${nulAt})`);
  if (halfPairAt !== undefined) {
    throw refuse(`holds half of a surrogate pair (at byte ${halfPairAt})`);
  }
  if (hugeNumber === undefined) return;
  const { start, end } = hugeNumber;
  const text = bytes.toString("latin1", start, Math.min(end, start + 40));
  throw refuse(`holds a number that is too large (${text})`);
}

function refuse(fault: string): JsonFault {
  return new JsonFault("invalid_json", `The body ${fault}.`);
}
