import type { ChildProcess } from "node:child_process";
import { Duplex } from "node:stream";
import { LARGEST_MESSAGE, limitsOfMessage } from "@jackfield/contract/frame-limits";
import {
  encodeFrame,
  type Frame,
  FrameDecoder,
  FrameError,
  parseHead,
} from "@jackfield/contract/frames";
import { type FromChild, fromChild, type ToChild } from "@jackfield/contract/runtime";
import { scanJson } from "#foundation/json";
import { type FrameBudget, type FrameShare, frameBudget } from "./frame-budget.ts";

/** Frames up to this size are read without asking for room: a process holds one at a time. */
const SMALL_BYTES = 64 * 1024;
/** How long a large frame may take to arrive, and so hold its room: for any of them, and for each MiB. */
const ARRIVAL_MS = { any: 30_000, perMib: 1000 } as const;
const MIB = 1024 * 1024;

export interface ChannelEvents {
  /** `release` is called once the body is no longer used. */
  onMessage(message: FromChild, body: Uint8Array, release: () => void): void;
  /** The other side broke the protocol; nothing after it is read. */
  onBroken(reason: string): void;
}

export interface ChannelOptions {
  readonly environmentId: () => string;
  readonly budget?: FrameBudget;
  readonly arrivalMs?: { readonly any: number; readonly perMib: number };
}

interface Admitted {
  readonly share: FrameShare;
  /** Ends the process when the frame is not whole by then. */
  arrival?: NodeJS.Timeout;
}

const NO_SHARE: FrameShare = { release: () => {} };

/** The messages of one function process. The function can write to it too: nothing on it is trusted. */
export class Channel {
  readonly #stream: Duplex;
  readonly #events: ChannelEvents;
  readonly #options: ChannelOptions;
  readonly #decoder: FrameDecoder<FromChild>;
  #isBroken = false;
  #isHeld = false;
  /** Of the frames that were asked for and are not passed on yet, in their order. */
  #admitted: Admitted[] = [];
  #stopWaiting: (() => void) | undefined;

  constructor(child: ChildProcess, events: ChannelEvents, options: ChannelOptions) {
    const stream = child.stdio[3];
    if (!(stream instanceof Duplex)) throw new Error("the function process has no channel");
    this.#stream = stream;
    this.#events = events;
    this.#options = options;
    this.#decoder = new FrameDecoder({
      ...LARGEST_MESSAGE,
      readHead: readMessage,
      admit: (bytes) => this.#admit(bytes),
    });
    stream.on("data", (chunk: Buffer) => this.#read(() => this.#decoder.push(chunk)));
    stream.on("error", () => {}); // the process's end tells
    stream.on("close", () => this.#giveUp());
  }

  /** Resolves when the bytes have left, or can never leave. */
  send(message: ToChild, body?: Uint8Array): Promise<void> {
    const chunks = encodeFrame(message, body);
    return new Promise((resolve) => {
      if (!this.#stream.writable) {
        resolve();
        return;
      }
      this.#stream.cork();
      for (const chunk of chunks.slice(0, -1)) this.#stream.write(chunk);
      this.#stream.write(chunks.at(-1), () => resolve());
      this.#stream.uncork();
    });
  }

  pause(): void {
    this.#isHeld = true;
    this.#stream.pause();
  }

  resume(): void {
    this.#isHeld = false;
    if (this.#stopWaiting === undefined) this.#stream.resume();
  }

  /** A process that has no function yet ends by itself when it finds the channel closed. */
  close(): void {
    this.#stream.destroy();
  }

  #read(decode: () => Frame<FromChild>[]): void {
    if (this.#isBroken) return;
    try {
      for (const frame of decode()) this.#pass(frame);
    } catch (error) {
      this.#break(error instanceof Error ? error.message : "an unreadable message");
    }
  }

  #pass({ head, body, wasAsked }: Frame<FromChild>): void {
    if (this.#isBroken) return;
    const admitted = wasAsked ? this.#admitted.shift() : undefined;
    clearTimeout(admitted?.arrival);
    this.#events.onMessage(head, body, () => admitted?.share.release());
  }

  /** Whether a frame may be read on now; else the process is not read until there is room for it. */
  #admit(bytes: number): boolean {
    if (bytes <= SMALL_BYTES) {
      this.#admitted.push({ share: NO_SHARE });
      return true;
    }
    const { budget = frameBudget, environmentId } = this.#options;
    let isAsking = true;
    let isGranted = false;
    const stopWaiting = budget.take(environmentId(), bytes, (share) => {
      isGranted = true;
      const admitted: Admitted = { share };
      this.#admitted.push(admitted);
      this.#limitArrival(admitted, bytes);
      if (!isAsking) this.#goOn();
    });
    isAsking = false;
    if (isGranted) return true;
    this.#stopWaiting = stopWaiting;
    this.#stream.pause();
    return false;
  }

  #goOn(): void {
    this.#stopWaiting = undefined;
    this.#read(() => this.#decoder.resume());
    if (!this.#isHeld) this.#stream.resume();
  }

  #limitArrival(admitted: Admitted, bytes: number): void {
    const { any, perMib } = this.#options.arrivalMs ?? ARRIVAL_MS;
    admitted.arrival = setTimeout(
      () => {
        // While the host itself does not read, the process cannot send.
        if (this.#isHeld) this.#limitArrival(admitted, bytes);
        else this.#break("a message that was announced did not come in time");
      },
      any + perMib * (bytes / MIB),
    );
  }

  #break(reason: string): void {
    this.#isBroken = true;
    this.#giveUp();
    this.#events.onBroken(reason);
  }

  /** Nothing more comes. */
  #giveUp(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    for (const { share, arrival } of this.#admitted.splice(0)) {
      clearTimeout(arrival);
      share.release();
    }
  }
}

/** Deeper than what the runner sends. */
const MAX_DEPTH = 256;

/**
 * Reads the head of a message from a function's process, which may hold anything: its size, depth and number of values
 * are looked at before it is parsed, and those of its own kind before it is checked. Throws a FrameError.
 */
function readMessage(head: Uint8Array, bodyBytes: number): FromChild {
  const shape = scanJson(head, { maxDepth: MAX_DEPTH, maxValues: LARGEST_MESSAGE.values });
  if (shape === undefined) throw new FrameError("a message that is no JSON, or too large");
  const message = parseHead(head);
  const { op, method } = toFields(message);
  const limits = limitsOfMessage(op, method);
  const isLarge = head.byteLength > limits.headBytes || shape.values > limits.values;
  if (isLarge || bodyBytes > limits.bodyBytes) {
    throw new FrameError("a message larger than its kind may be");
  }
  const checked = fromChild.safeParse(message);
  if (checked.success) return checked.data;
  throw new FrameError("a message of an unknown form");
}

function toFields(value: unknown): { op?: unknown; method?: unknown } {
  return typeof value === "object" && value !== null ? value : {};
}
