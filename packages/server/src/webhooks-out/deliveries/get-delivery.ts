import { AppError, type EnvironmentContext } from "#foundation";
import { readReplica } from "#foundation/db";
import { open } from "#vault";
import { answerAad, joinBody } from "../delivery.ts";
import { openOwn, openShared } from "../open-body.ts";
import type { AttemptRow, DeliveryRow } from "./delivery-row.ts";
import { findDeliveryRow, listAttemptRows } from "./store.ts";

export interface OpenedDelivery {
  readonly delivery: DeliveryRow;
  readonly body: string;
  readonly attempts: readonly (Omit<AttemptRow, "answer"> & { readonly answer: string | null })[];
}

/** One delivery with its body and attempts; throws not_found. */
export async function getDelivery(ctx: EnvironmentContext, id: string): Promise<OpenedDelivery> {
  const environmentId = ctx.environment.id;
  const found = await readReplica(ctx, async (db) => await findDeliveryRow(db, environmentId, id));
  if (found === undefined) throw noDelivery();
  const { body, payload, payloadId, ...delivery } = found;
  const own = await openOwn(ctx, { id: found.id, body });
  const rows = await readReplica(
    ctx,
    async (db) => await listAttemptRows(db, environmentId, found),
  );
  const attempts = await Promise.all(
    rows.map(async ({ answer, ...attempt }) => {
      if (answer === null) return { ...attempt, answer };
      const text = await open(ctx, answerAad(environmentId, attempt.id), answer);
      return { ...attempt, answer: text.toString("utf8") };
    }),
  );
  if (payloadId === null) {
    return { delivery, body: own.toString("utf8"), attempts };
  }
  const rest = await openShared(ctx, { payloadId, payload });
  return { delivery, body: joinBody(own, rest).toString("utf8"), attempts };
}

export function noDelivery(): AppError {
  return new AppError("not_found", "No such delivery; deliveries are stored for a limited time.");
}
