import { createServer, type Socket } from "node:net";

/** One request as it came over the wire. */
export interface WireRequest {
  /** First line and header lines, without the empty line. */
  readonly lines: readonly string[];
  readonly body: Buffer;
  /** Resolves when the proxy has closed the connection. */
  readonly closed: Promise<void>;
}

export type Respond = (socket: Socket, request: WireRequest, count: number) => void;

/** A server that reads requests byte by byte and answers with exactly the bytes that a test gives. */
export interface RawUpstream extends AsyncDisposable {
  readonly origin: string;
  readonly requests: WireRequest[];
  /** Resolves with the first request that comes. */
  next(): Promise<WireRequest>;
  respond: Respond;
}

export async function startRawUpstream(): Promise<RawUpstream> {
  const sockets = new Set<Socket>();
  let arrival = Promise.withResolvers<WireRequest>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    const reader = new RequestReader();
    socket.on("data", (chunk: Buffer) => {
      for (const taken of reader.read(chunk)) {
        const request = { ...taken, closed };
        upstream.requests.push(request);
        arrival.resolve(request);
        arrival = Promise.withResolvers();
        upstream.respond(socket, request, upstream.requests.length);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const upstream: RawUpstream = {
    origin: `http://127.0.0.1:${port}`,
    requests: [],
    next: () => arrival.promise,
    respond: (socket) => socket.write("HTTP/1.1 204 No Content\r\n\r\n"),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return upstream;
}

type TakenRequest = Omit<WireRequest, "closed">;

const LINE_END = "\r\n";

/** Takes requests from bytes as they come; what it has read once it does not look at again. */
class RequestReader {
  #unread = Buffer.alloc(0);
  #lines: readonly string[] | undefined;
  #body: Buffer[] = [];
  /** Bytes of the body, or of its present chunk, that are still to come; undefined before a chunk's size. */
  #due: number | undefined;

  *read(bytes: Buffer): Generator<TakenRequest> {
    this.#unread = Buffer.concat([this.#unread, bytes]);
    for (;;) {
      if (this.#lines === undefined && !this.#readHead()) return;
      const lines = this.#lines ?? [];
      const isWhole = isChunked(lines) ? this.#readChunks() : this.#readDue();
      if (!isWhole) return;
      yield { lines, body: Buffer.concat(this.#body) };
      this.#lines = undefined;
      this.#body = [];
    }
  }

  #readHead(): boolean {
    const text = this.#takeUntil(LINE_END + LINE_END);
    if (text === undefined) return false;
    const lines = text.split(LINE_END);
    const length = /\ncontent-length: (\d+)/.exec(lines.join("\n").toLowerCase())?.[1];
    this.#lines = lines;
    this.#due = isChunked(lines) ? undefined : Number(length ?? 0);
    return true;
  }

  #readChunks(): boolean {
    for (;;) {
      if (this.#due === undefined) {
        const size = this.#takeUntil(LINE_END);
        if (size === undefined) return false;
        this.#due = Number.parseInt(size, 16);
        if (this.#due === 0) this.#due = Number.NaN;
      }
      // The last chunk has no bytes, but a line's end like all others.
      if (Number.isNaN(this.#due)) return this.#takeUntil(LINE_END) !== undefined;
      if (!this.#readDue() || this.#takeUntil(LINE_END) === undefined) return false;
      this.#due = undefined;
    }
  }

  #readDue(): boolean {
    const due = this.#due ?? 0;
    const taken = this.#unread.subarray(0, due);
    if (taken.byteLength > 0) this.#body.push(taken);
    this.#unread = this.#unread.subarray(taken.byteLength);
    this.#due = due - taken.byteLength;
    return this.#due === 0;
  }

  #takeUntil(end: string): string | undefined {
    const at = this.#unread.indexOf(end);
    if (at === -1) return undefined;
    const text = this.#unread.subarray(0, at).toString("latin1");
    this.#unread = this.#unread.subarray(at + end.length);
    return text;
  }
}

function isChunked(lines: readonly string[]): boolean {
  return lines.some((line) => /^transfer-encoding: chunked/i.test(line));
}
