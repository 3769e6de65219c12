import { createReadStream } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { messageOf } from "#foundation";
import type { BackupItem } from "./backup-item.ts";
import { decodeItems, encodeItems } from "./frames.ts";
import { type OpeningKeys, type SealingKeys, toDecrypter, toEncrypter } from "./sealing-keys.ts";

/** Writes items as they come: framed, compressed (zstd), encrypted (age). Ends `target`. */
export async function writeBackup(
  items: AsyncIterable<BackupItem>,
  keys: SealingKeys,
  target: Writable,
): Promise<void> {
  const encrypter = toEncrypter(keys);
  await pipeline(
    Readable.from(encodeItems(items), { objectMode: false }),
    createZstdCompress(),
    async function* (compressed: AsyncIterable<Uint8Array>) {
      yield* await encrypter.encrypt(ReadableStream.from(compressed));
    },
    target,
  );
}

/** Items of a file, each piece only once it is proved to be unaltered. Throws an Error that says what is wrong. */
export async function* readBackup(path: string, keys: OpeningKeys): AsyncGenerator<BackupItem> {
  const decrypter = toDecrypter(keys);
  const file = createReadStream(path);
  const unpacked = createZstdDecompress();
  const unpacking = pipeline(
    file,
    async function* (sealed: AsyncIterable<Uint8Array>) {
      yield* await decrypter.decrypt(ReadableStream.from(sealed));
    },
    unpacked,
  );
  unpacking.catch(() => {}); // the reader of `unpacked` hears of it
  try {
    yield* decodeItems(unpacked);
    await unpacking;
  } catch (cause) {
    throw new Error(`the backup cannot be read: ${explain(cause)}`, { cause });
  } finally {
    unpacked.destroy();
    file.destroy();
  }
}

function explain(cause: unknown): string {
  const message = messageOf(cause);
  if (/no identity matched/.test(message)) {
    return "it does not open with this passphrase or identity";
  }
  if (/no such file|EACCES|EISDIR/.test(message)) return message;
  return `it is truncated, was altered, or is not a Jackfield backup (${message})`;
}
