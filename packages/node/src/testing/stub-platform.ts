import { createServer, type IncomingMessage } from "node:http";

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Closes the connection in place of an answer. */
  readonly hangUp?: true;
}

/** An HTTP server that writes down what it is sent and answers what the test says, in turn; then `{}`. */
export interface StubPlatform extends AsyncDisposable {
  readonly url: string;
  readonly seen: SeenRequest[];
  answer(...answers: StubAnswer[]): void;
}

export async function startStubPlatform(): Promise<StubPlatform> {
  const seen: SeenRequest[] = [];
  const queue: StubAnswer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      const { status = 200, body = {}, headers: sent, hangUp } = queue.shift() ?? {};
      if (hangUp === true) {
        request.socket.destroy();
        return;
      }
      const isText = typeof body === "string";
      response.writeHead(status, {
        "content-type": isText ? "text/plain" : "application/json",
        ...sent,
      });
      response.end(isText ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    answer: (...answers) => {
      queue.push(...answers);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
