import { LRUCache } from "lru-cache";
import { hotStatement } from "../database.ts";
import { hasIdText } from "./has-id.ts";

type Statement = ReturnType<typeof hotStatement>;

const DAY_MS = 86_400_000;
/** Yesterday's, today's and tomorrow's, and one that ends. */
const DAYS_KEPT = 4;

/**
 * A hot statement about one row of a table that is partitioned by `created_at`, by the row's id. `write` is given how
 * the row is found. For rows of these days the day is in the text: with one partition in sight, Postgres plans the
 * statement once on a connection; by parameters it would plan it at every call, which takes longer than the work.
 */
export function hotStatementOfDay(
  name: string,
  write: (hasId: typeof hasIdText) => string,
): (id: string, values: readonly unknown[]) => ReturnType<Statement> {
  const ofAnyDay = hotStatement(name, write(hasIdText));
  const ofDays = new LRUCache<number, Statement>({ max: DAYS_KEPT });
  return (id, values) => {
    const day = dayOfId(id);
    if (day === undefined || Math.abs(day - Math.floor(Date.now() / DAY_MS)) > 1) {
      return ofAnyDay(values);
    }
    let ofDay = ofDays.get(day);
    if (ofDay === undefined) {
      const [from, until] = [startOf(day), startOf(day + 1)];
      ofDay = hotStatement(
        `${name}@${from.slice(0, 10)}`,
        write(
          (table, id) =>
            `${table}.id = ${id} and ${table}.created_at >= '${from}' and ${table}.created_at < '${until}'`,
        ),
      );
      ofDays.set(day, ofDay);
    }
    return ofDay(values);
  };
}

/** Days since 1970 of a UUID v7 (RFC 9562, section 5.7); undefined for other ids. */
function dayOfId(id: string): number | undefined {
  if (id[14] !== "7") return undefined;
  const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / DAY_MS);
}

function startOf(day: number): string {
  return new Date(day * DAY_MS).toISOString();
}
