import { type EnvironmentContext, keysetCursor } from "#foundation";
import { listBounded, readReplica } from "#foundation/db";
import { areDeliveriesPrepared } from "../distributed/is-prepared.ts";
import type { DeliveryFilter, DeliveryRow } from "./delivery-row.ts";
import { findDeliveryBound, listDeliveryRows } from "./store.ts";

export interface DeliveryQuery {
  readonly filter: DeliveryFilter;
  readonly limit: number;
  readonly cursor: string | undefined;
}

const cursors = keysetCursor({ radix: 10, separator: "/" });

/** Deliveries, newest first; throws invalid_cursor. */
export async function listDeliveries(
  ctx: EnvironmentContext,
  { filter, limit, cursor }: DeliveryQuery,
): Promise<{ deliveries: DeliveryRow[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : cursors.read(cursor);
  const { id } = ctx.environment;
  const { since: _since, until: _until, ...parts } = filter;
  const isFiltered = Object.values(parts).some((part) => part !== undefined);
  const page = { filter, after, isPrepared: await areDeliveriesPrepared(ctx) };
  const { rows, next } = await listBounded({
    limit,
    positionOf: (row: DeliveryRow) => row,
    ranges: [
      {
        list: async (limit) =>
          await readReplica(ctx, async (db) => await listDeliveryRows(db, id, { ...page, limit })),
        findBound: isFiltered
          ? async () =>
              await readReplica(
                ctx,
                async (db) => await findDeliveryBound(db, id, { filter, after }),
              )
          : undefined,
      },
    ],
  });
  return { deliveries: [...rows], nextCursor: next === undefined ? null : cursors.write(next) };
}
