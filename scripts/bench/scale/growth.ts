import { measureCosts } from "../cost.ts";
import type { Growth } from "../meters/cost-meter.ts";
import type { BenchRow } from "../meters/row.ts";

/** A day of ten thousand syncs that run every five minutes and save a record, and of a million of most other units. */
const aDay: Readonly<Record<string, number>> = {
  "a sync run that saves one record": 2_880_000,
  "a synchronous action": 1_000_000,
  "an asynchronous action": 100_000,
  "a webhook received": 1_000_000,
  "a proxied call": 1_000_000,
  "a refresh of a token": 240_000,
  "a delivery sent": 1_000_000,
};

/**
 * Tables that each unit of work adds rows to, and the days after which these go, with the default settings. Of the others
 * the rows are changed or removed at once, and their room is used again.
 */
const kept: Readonly<Record<string, number>> = {
  ...{ operations: 15, operation_messages: 15, operation_minutes: 15, operation_hours: 400 },
  ...{ runs: 7, async_actions: 7, record_minutes: 15, record_hours: 400, connection_uses: 180 },
  ...{ webhook_deliveries: 30, webhook_attempts: 30, webhook_payloads: 30, delivery_turns: 30 },
  ...{ inbound_webhooks: 30, inbound_webhook_connections: 30, inbound_events: 30 },
  ...{ function_run_counts: 400, credential_reads: 30 },
};

const MEGABYTE = 1e6;

/** What each unit of work costs, and what a day of that work adds to each table until retention takes as much away. */
export async function measureGrowth(): Promise<BenchRow[]> {
  const { rows, growths } = await measureCosts();
  const added = Object.entries(kept)
    .map(([table, days]) => ({ table, days, bytes: addedTo(table, growths) }))
    .filter(({ bytes }) => bytes >= MEGABYTE)
    .toSorted((a, b) => b.bytes - a.bytes);
  return [
    ...rows,
    {
      name: "scale: growth in a day",
      value: added.reduce((sum, { bytes }) => sum + bytes, 0) / MEGABYTE,
      unit: "MB",
      note: Object.entries(aDay)
        .map(([unit, count]) => `${count.toLocaleString("en")} times ${unit}`)
        .join(", "),
    },
    ...added.map(({ table, days, bytes }) => ({
      name: `scale: growth of ${table} in a day`,
      value: bytes / MEGABYTE,
      unit: "MB",
      note: `kept for ${days} days: ${((bytes * days) / 1e9).toFixed(1)} GB at most`,
    })),
  ];
}

function addedTo(table: string, growths: ReadonlyMap<string, Growth>): number {
  return Object.entries(aDay).reduce(
    (sum, [unit, count]) => sum + count * (growths.get(unit)?.get(table) ?? 0),
    0,
  );
}
