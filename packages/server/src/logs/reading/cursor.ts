import { AppError } from "#platform";
import type { Position } from "./logged.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Opaque to callers. Whose logs are read is said by the key alone, so that nothing here needs to be secret. */
export function writeCursor({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt.getTime().toString(36)}.${id}`).toString("base64url");
}

/** Throws 400 invalid_cursor for text that writeCursor has not made. */
export function readCursor(cursor: string): Position {
  const [time = "", id = ""] = Buffer.from(cursor, "base64url").toString("utf8").split(".");
  const createdAt = new Date(Number.parseInt(time, 36));
  const isWhole = UUID.test(id) && !Number.isNaN(createdAt.getTime());
  if (isWhole && writeCursor({ createdAt, id }) === cursor) return { createdAt, id };
  throw new AppError("invalid_cursor", "The cursor was altered; start without one.");
}
