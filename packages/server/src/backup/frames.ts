import { messageOf } from "#foundation";
import { type BackupItem, jsonItem } from "./backup-item.ts";

// A frame is a letter, the length of what follows (uint32, big-endian), and that many bytes.
const JSON_FRAME = 0x4a; // J
const ROWS_FRAME = 0x52; // R
const HEAD_BYTES = 5;
/** Rows come in pieces far below it; of JSON, the columns of one table are the largest. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024;

export async function* encodeItems(items: AsyncIterable<BackupItem>): AsyncGenerator<Buffer> {
  for await (const item of items) {
    if (item.kind === "rows") {
      yield headOf(ROWS_FRAME, item.bytes.byteLength);
      yield item.bytes;
    } else {
      const text = Buffer.from(JSON.stringify(item));
      yield headOf(JSON_FRAME, text.byteLength);
      yield text;
    }
  }
}

function headOf(type: number, length: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(type, 0);
  head.writeUInt32BE(length, 1);
  return head;
}

/** Throws when what is read is not whole frames, or one is not what a backup holds. */
export async function* decodeItems(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<BackupItem> {
  const held = new HeldBytes();
  for await (const chunk of chunks) {
    held.add(chunk);
    for (let frame = held.takeFrame(); frame !== undefined; frame = held.takeFrame()) {
      yield toItem(frame);
    }
  }
  if (held.length > 0) throw new Error("it ends within a frame");
}

interface Frame {
  readonly type: number;
  readonly bytes: Buffer;
}

class HeldBytes {
  length = 0;
  #chunks: Buffer[] = [];
  #wanted = HEAD_BYTES;

  add(chunk: Uint8Array): void {
    this.#chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    this.length += chunk.byteLength;
  }

  takeFrame(): Frame | undefined {
    if (this.length < this.#wanted) return undefined;
    const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    if (all === undefined) return undefined;
    this.#chunks = [all];
    const bodyBytes = all.readUInt32BE(1);
    if (bodyBytes > MAX_FRAME_BYTES) throw new Error(`a frame has ${bodyBytes} bytes`);
    const end = HEAD_BYTES + bodyBytes;
    this.#wanted = end;
    if (all.byteLength < end) return undefined;
    this.#chunks = [all.subarray(end)];
    this.length -= end;
    this.#wanted = HEAD_BYTES;
    return { type: all.readUInt8(0), bytes: all.subarray(HEAD_BYTES, end) };
  }
}

function toItem({ type, bytes }: Frame): BackupItem {
  if (type === ROWS_FRAME) return { kind: "rows", bytes };
  if (type !== JSON_FRAME) throw new Error("a frame is of no known type");
  const read = jsonItem.safeParse(parse(bytes));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw new Error(`a frame is not JSON: ${messageOf(error)}`, { cause: error });
  }
}
