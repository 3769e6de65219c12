import type { ChildProcess } from "node:child_process";
import { Duplex } from "node:stream";
import { encodeFrame, FRAME_LIMITS, type Frame, FrameDecoder } from "@jackfield/contract/frames";
import { type FromChild, fromChild, type ToChild } from "@jackfield/contract/runtime";

export interface ChannelEvents {
  onMessage(message: FromChild, body: Uint8Array): void;
  /** The other side broke the protocol; nothing after it is read. */
  onBroken(reason: string): void;
}

/** The messages of one function process. The function can write to it too: nothing on it is trusted. */
export class Channel {
  readonly #stream: Duplex;
  readonly #decoder = new FrameDecoder(FRAME_LIMITS);
  readonly #events: ChannelEvents;
  #isBroken = false;

  constructor(child: ChildProcess, events: ChannelEvents) {
    const stream = child.stdio[3];
    if (!(stream instanceof Duplex)) throw new Error("the function process has no channel");
    this.#stream = stream;
    this.#events = events;
    stream.on("data", (chunk: Buffer) => this.#read(chunk));
    stream.on("error", () => {}); // the process's end tells
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
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** A process that has no function yet ends by itself when it finds the channel closed. */
  close(): void {
    this.#stream.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#isBroken) return;
    for (const frame of this.#decode(chunk)) {
      const message = fromChild.safeParse(frame.head);
      if (!message.success) {
        this.#break("a message of an unknown form");
        return;
      }
      this.#events.onMessage(message.data, frame.body);
    }
  }

  #decode(chunk: Buffer): Frame[] {
    try {
      return this.#decoder.push(chunk);
    } catch (error) {
      this.#break(error instanceof Error ? error.message : "an unreadable message");
      return [];
    }
  }

  #break(reason: string): void {
    this.#isBroken = true;
    this.#events.onBroken(reason);
  }
}
