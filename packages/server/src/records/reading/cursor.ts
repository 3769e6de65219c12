import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { AppError, type ConnectionUuid, type EnvironmentContext } from "#foundation";
import { deriveKey } from "#vault";

const BLOCK_BYTES = 16;
const SEQUENCE_AT = 8;

export interface Cursors {
  /** The cursors of the records with these order numbers. */
  write(sequences: readonly number[]): string[];
  /** The order number; 400 `invalid_cursor` for text that was not written for this listing. */
  read(cursor: string): number;
}

/**
 * Cursors of one environment, connection and model, variant included. Each is a block of 8 zero bytes and the
 * order number, encrypted by AES-256 under a key of that place: anything else that is sent decrypts to a block
 * without the zeros (one forgery in 2^64 tries). One call makes those of a whole page.
 */
export async function openCursors(
  ctx: EnvironmentContext,
  { connection, model }: { connection: ConnectionUuid; model: string },
): Promise<Cursors> {
  const environmentId = ctx.environment.id;
  const secret = await deriveKey(ctx, { environmentId, purpose: "record-cursor" });
  const key = createHmac("sha256", secret)
    .update(JSON.stringify([connection, model]))
    .digest();

  return {
    write(sequences) {
      const blocks = Buffer.alloc(sequences.length * BLOCK_BYTES);
      for (const [index, sequence] of sequences.entries()) {
        blocks.writeBigUInt64BE(BigInt(sequence), index * BLOCK_BYTES + SEQUENCE_AT);
      }
      const cipher = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
      const encrypted = cipher.update(blocks);
      return sequences.map((_, index) =>
        encrypted.toString("base64url", index * BLOCK_BYTES, (index + 1) * BLOCK_BYTES),
      );
    },
    read(cursor) {
      const bytes = Buffer.from(cursor, "base64url");
      if (bytes.byteLength !== BLOCK_BYTES || bytes.toString("base64url") !== cursor)
        throw invalid();
      const decipher = createDecipheriv("aes-256-ecb", key, null).setAutoPadding(false);
      const block = decipher.update(bytes);
      if (block.readBigUInt64BE(0) !== 0n) throw invalid();
      const sequence = Number(block.readBigUInt64BE(SEQUENCE_AT));
      if (!Number.isSafeInteger(sequence)) throw invalid();
      return sequence;
    },
  };
}

function invalid(): AppError {
  return new AppError(
    "invalid_cursor",
    "The cursor was altered, or belongs to another connection, model or variant; start without one.",
  );
}
