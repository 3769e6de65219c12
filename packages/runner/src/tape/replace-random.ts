import { KeyStream } from "./key-stream.ts";
import { put } from "./replace-clock.ts";

interface CryptoParts {
  readonly getModule: (name: string) => object;
  readonly mentions: (word: string) => boolean;
}

type Callback = (error: null, value?: unknown) => void;

/** Puts what comes from one seed in place of all that is random, until the process is cleaned. */
export function replaceRandom(seed: string, { getModule, mentions }: CryptoParts): void {
  const stream = new KeyStream(seed);
  put(Math, "random", () => stream.bits(53) / 2 ** 53);
  if (!mentions("crypto")) return;
  const module = getModule("crypto");
  const bytesOf = (size: number) => {
    const bytes = Buffer.alloc(size);
    stream.fill(bytes);
    return bytes;
  };
  const fill = (target: ArrayBufferView | ArrayBuffer, offset = 0, size?: number) => {
    const bytes = viewOf(target);
    stream.fill(bytes.subarray(offset, size === undefined ? undefined : offset + size));
    return target;
  };
  const getRandomValues = (target: ArrayBufferView) => {
    if (target.byteLength > 65_536) {
      throw new DOMException("The requested length exceeds 65,536 bytes", "QuotaExceededError");
    }
    return fill(target);
  };
  const randomUUID = () => toUuid(bytesOf(16));
  put(module, "randomUUID", randomUUID);
  put(module, "getRandomValues", getRandomValues);
  put(module, "randomBytes", (size: number, done?: Callback) => later(done, bytesOf(size)));
  put(module, "pseudoRandomBytes", (size: number, done?: Callback) => later(done, bytesOf(size)));
  put(module, "randomFillSync", fill);
  put(module, "randomFill", (target: ArrayBufferView, ...rest: unknown[]) => {
    const done = rest.pop();
    const [offset, size] = rest.map(Number);
    return later(
      typeof done === "function" ? (done as Callback) : undefined,
      fill(target, offset, size),
    );
  });
  put(module, "randomInt", (...given: unknown[]) => {
    const done = typeof given.at(-1) === "function" ? (given.pop() as Callback) : undefined;
    const [low, high] = given.length > 1 ? given.map(Number) : [0, Number(given[0])];
    const span = (high ?? 0) - (low ?? 0);
    if (!(span > 0)) throw new RangeError("The upper bound of randomInt is above the lower one.");
    return later(done, (low ?? 0) + Math.floor((stream.bits(53) / 2 ** 53) * span));
  });
  put(crypto, "randomUUID", randomUUID);
  put(crypto, "getRandomValues", getRandomValues);
}

/** At once, or by the callback that was given. */
function later(done: Callback | undefined, value: unknown): unknown {
  if (done === undefined) return value;
  process.nextTick(done, null, value);
  return undefined;
}

function viewOf(target: ArrayBufferView | ArrayBuffer): Uint8Array {
  if (target instanceof ArrayBuffer) return new Uint8Array(target);
  return new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
}

/** Version 4 (RFC 9562). */
function toUuid(bytes: Uint8Array): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}
