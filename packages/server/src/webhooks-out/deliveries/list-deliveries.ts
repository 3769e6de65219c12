import type { EnvironmentContext } from "#platform";
import { readCursor, writeCursor } from "./cursor.ts";
import type { DeliveryFilter, DeliveryRow } from "./delivery-row.ts";
import { listDeliveryRows } from "./store.ts";

export interface DeliveryQuery {
  readonly filter: DeliveryFilter;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Deliveries, newest first; throws invalid_cursor. */
export async function listDeliveries(
  ctx: EnvironmentContext,
  { filter, limit, cursor }: DeliveryQuery,
): Promise<{ deliveries: DeliveryRow[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const page = { filter, after, limit: limit + 1 };
  const rows = await listDeliveryRows(ctx.db, ctx.environment.id, page);
  const deliveries = rows.slice(0, limit);
  const last = deliveries.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return { deliveries, nextCursor: isMore ? writeCursor(last) : null };
}
