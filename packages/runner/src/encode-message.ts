import { limitsOfMessage } from "@jackfield/contract/frame-limits";
import { PREFIX_BYTES } from "@jackfield/contract/frames";
import type { FromChild } from "@jackfield/contract/runtime";

// All kept from the start: a function shares the process and may put others in their place.
const { apply, get, getOwnPropertyDescriptor } = Reflect;
const { isArray } = Array;
const { keys } = Object;
const { stringify } = JSON;
const { allocUnsafeSlow } = Buffer;
const NativeUint8Array = Uint8Array;
const { set } = NativeUint8Array.prototype;
const typedArray = Object.getPrototypeOf(NativeUint8Array.prototype);
const readByteLength = getterOf(typedArray, "byteLength");
const encoder = new TextEncoder();
const encode = encoder.encode.bind(encoder);

const NO_BYTES = new NativeUint8Array(0);
/** Deeper than anything that the calls of svc send. */
const MAX_DEPTH = 200;

/** Getters by which a function could lie about the size of bytes. */
const sizeGetters = ["buffer", "byteLength", "byteOffset", "length"] as const;

/** From now on no function can replace the getters of sizes; Node's streams read them too. */
export function pinSizes(): void {
  for (const name of sizeGetters) {
    Object.defineProperty(typedArray, name, { configurable: false });
  }
}

/**
 * A message as one frame. Its JSON is of own fields only, without any `toJSON`, and its sizes are those of real bytes,
 * so that nothing a function puts into prototypes changes what the host reads. Throws a TypeError for what is no JSON
 * value, and a RangeError past the limits of the message's kind.
 */
export function encodeMessage(message: FromChild, body: Uint8Array = NO_BYTES): Buffer {
  const head = encode(encodeJson(message, 0));
  const headBytes = byteLengthOf(head);
  const bodyBytes = byteLengthOf(body);
  const limits = limitsOfMessage(message.op, "method" in message ? message.method : undefined);
  if (headBytes > limits.headBytes || bodyBytes > limits.bodyBytes) {
    throw new RangeError(
      `The message is too large: ${headBytes} and ${bodyBytes} bytes; at most ${limits.headBytes} and ${limits.bodyBytes} fit.`,
    );
  }
  // A copy, for the function may continue to change its bytes, or their number, before they have left.
  const frame = allocUnsafeSlow(PREFIX_BYTES + headBytes + bodyBytes);
  writeSize(frame, 0, headBytes);
  writeSize(frame, 4, bodyBytes);
  apply(set, frame, [head, PREFIX_BYTES]);
  apply(set, frame, [body, PREFIX_BYTES + headBytes]);
  return frame;
}

function writeSize(frame: Buffer, at: number, size: number): void {
  frame[at] = size >>> 24;
  frame[at + 1] = size >>> 16;
  frame[at + 2] = size >>> 8;
  frame[at + 3] = size;
}

/** Throws for what only looks like bytes. */
function byteLengthOf(bytes: Uint8Array): number {
  return Number(apply(readByteLength, bytes, []));
}

function getterOf(target: object, name: string): () => unknown {
  const getter = getOwnPropertyDescriptor(target, name)?.get;
  if (getter === undefined) throw new Error(`typed arrays have no ${name}`);
  return getter;
}

function encodeJson(value: unknown, depth: number): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return stringify(value);
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "number") return value - value === 0 ? `${value}` : "null";
  if (typeof value !== "object") throw new TypeError(`A ${typeof value} is no JSON value.`);
  if (depth > MAX_DEPTH) throw new TypeError("The value refers to itself or is nested too deep.");
  return isArray(value) ? encodeItems(value, depth) : encodeMembers(value, depth);
}

function encodeItems(items: readonly unknown[], depth: number): string {
  let text = "[";
  const { length } = items;
  for (let index = 0; index < length; index += 1) {
    text += `${index === 0 ? "" : ","}${encodeJson(items[index], depth + 1)}`;
  }
  return `${text}]`;
}

function encodeMembers(object: object, depth: number): string {
  let text = "{";
  const names = keys(object);
  const { length } = names;
  for (let index = 0; index < length; index += 1) {
    const name = names[index] ?? "";
    const member: unknown = get(object, name);
    if (member === undefined) continue;
    text += `${text === "{" ? "" : ","}${stringify(name)}:${encodeJson(member, depth + 1)}`;
  }
  return `${text}}`;
}
