import { createHmac, timingSafeEqual } from "node:crypto";
import { AppError, type ConnectionUuid, type EnvironmentContext } from "#platform";
import { deriveKey } from "#vault";

const VERSION = 1;
const HEAD_BYTES = 9;
const MAC_BYTES = 16;

export interface Cursors {
  /** The cursor of the record with this order number. */
  write(sequence: number): string;
  /** The order number; 400 `invalid_cursor` for text that was not written for this listing. */
  read(cursor: string): number;
}

/** Cursors of one environment, connection and model, variant included: version, order number, MAC. */
export async function openCursors(
  ctx: EnvironmentContext,
  { connection, model }: { connection: ConnectionUuid; model: string },
): Promise<Cursors> {
  const environmentId = ctx.environment.id;
  const key = await deriveKey(ctx, { environmentId, purpose: "record-cursor" });
  const place = Buffer.from(JSON.stringify([connection, model]));

  function authenticate(head: Uint8Array): Buffer {
    const mac = createHmac("sha256", key).update(head).update(place).digest();
    return mac.subarray(0, MAC_BYTES);
  }

  return {
    write(sequence) {
      const head = Buffer.alloc(HEAD_BYTES);
      head.writeUInt8(VERSION, 0);
      head.writeBigUInt64BE(BigInt(sequence), 1);
      return Buffer.concat([head, authenticate(head)]).toString("base64url");
    },
    read(cursor) {
      const bytes = Buffer.from(cursor, "base64url");
      const head = bytes.subarray(0, HEAD_BYTES);
      const isWhole =
        bytes.byteLength === HEAD_BYTES + MAC_BYTES && bytes.toString("base64url") === cursor;
      if (!isWhole || !timingSafeEqual(bytes.subarray(HEAD_BYTES), authenticate(head))) {
        throw new AppError(
          "invalid_cursor",
          "The cursor was altered, or belongs to another connection, model or variant; start without one.",
        );
      }
      return Number(head.readBigUInt64BE(1));
    },
  };
}
