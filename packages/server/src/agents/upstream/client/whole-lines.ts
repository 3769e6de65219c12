const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

interface Listening {
  /** Hears of bytes as they come. */
  readonly onBytes: (count: number) => void;
  readonly onBroken: (error: unknown) => void;
  readonly onEnd: () => void;
}

/**
 * Hands bytes on line by line: readers of event streams join what they have of a line with each piece that comes, which
 * takes them the square of its length where a server sends it in small pieces.
 */
export function wholeLines({
  onBytes,
  onBroken,
  onEnd,
}: Listening): ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array> {
  let held: Uint8Array[] = [];
  const through = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      onBytes(chunk.byteLength);
      const end = Math.max(chunk.lastIndexOf(LINE_FEED), chunk.lastIndexOf(CARRIAGE_RETURN)) + 1;
      if (end === 0) {
        held.push(chunk);
        return;
      }
      controller.enqueue(join([...held, chunk.subarray(0, end)]));
      held = end < chunk.byteLength ? [chunk.subarray(end)] : [];
    },
    flush: (controller) => {
      if (held.length > 0) controller.enqueue(join(held));
      held = [];
      onEnd();
    },
  });
  const { writable } = through;
  const writer = writable.getWriter();
  const watched = new WritableStream<Uint8Array>({
    write: async (chunk) => {
      await writer.ready;
      void writer.write(chunk).catch(() => undefined);
    },
    close: async () => await writer.close(),
    abort: async (reason) => {
      onBroken(reason);
      await writer.abort(reason);
    },
  });
  return { readable: through.readable, writable: watched };
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
