import { AppError } from "#platform";
import type { Position } from "./delivery-row.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Opaque to callers; whose deliveries are listed is said by the key alone. */
export function writeCursor({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt.getTime()}/${id}`).toString("base64url");
}

/** Throws 400 invalid_cursor for text that writeCursor has not made. */
export function readCursor(cursor: string): Position {
  const [time = "", id = ""] = Buffer.from(cursor, "base64url").toString("latin1").split("/");
  const position = { createdAt: new Date(/^\d+$/.test(time) ? Number(time) : Number.NaN), id };
  const isWhole = UUID.test(id) && !Number.isNaN(position.createdAt.getTime());
  if (isWhole && writeCursor(position) === cursor) return position;
  throw new AppError("invalid_cursor", "The cursor was altered; start without one.");
}
