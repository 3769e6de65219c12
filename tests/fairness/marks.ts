import { createServer, type ServerResponse } from "node:http";

/** A server on loopback that is provider and receiver at once. */
export interface Marks extends AsyncDisposable {
  readonly url: string;
  /** Resolves with the time of `performance.now()` at which `/mark/<name>` is asked for. */
  arrivalOf(name: string, withinMs: number): Promise<number>;
  /** Answers all that waits at `/slow`. */
  release(): void;
}

/** `/mark/<name>` notes who comes, `/slow` lets wait, `/hook` notes the connection that a webhook is about. */
export async function startMarks(): Promise<Marks> {
  const waiting = new Map<string, (at: number) => void>();
  const slow = new Set<ServerResponse>();
  const note = (name: string) => {
    waiting.get(name)?.(performance.now());
    waiting.delete(name);
  };
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (path.includes("/slow")) {
        slow.add(response);
        response.on("close", () => slow.delete(response));
        return;
      }
      const name = /\/mark\/([\w-]+)/.exec(path)?.[1];
      if (name !== undefined) note(name);
      if (path.startsWith("/hook")) {
        const [, connection] =
          /"connectionId":"([\w-]+)"/.exec(Buffer.concat(chunks).toString()) ?? [];
        if (connection !== undefined) note(connection);
      }
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    async arrivalOf(name, withinMs) {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      waiting.set(name, resolve);
      const timer = setTimeout(() => reject(new Error(`${name} did not start`)), withinMs);
      return await promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(name);
      });
    },
    release() {
      for (const response of slow) response.end("{}");
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
