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
    let unread = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk]);
      for (;;) {
        const taken = takeRequest(unread);
        if (taken === undefined) return;
        unread = unread.subarray(taken.size);
        const request = { lines: taken.lines, body: taken.body, closed };
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

interface TakenRequest {
  readonly lines: string[];
  readonly body: Buffer;
  readonly size: number;
}

function takeRequest(bytes: Buffer): TakenRequest | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const lines = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const head = lines.join("\n").toLowerCase();
  const start = headEnd + 4;
  if (/\ntransfer-encoding: chunked/.test(head)) return takeChunked(bytes, lines, start);
  const length = Number(/\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0);
  if (bytes.byteLength < start + length) return undefined;
  return { lines, body: bytes.subarray(start, start + length), size: start + length };
}

function takeChunked(bytes: Buffer, lines: string[], start: number): TakenRequest | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.byteLength < next) return undefined;
    if (size === 0) return { lines, body: Buffer.concat(chunks), size: next };
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
