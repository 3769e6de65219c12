import { once } from "node:events";
import { createServer, type OutgoingHttpHeaders, request, type Server } from "node:http";

export interface ReverseProxy extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
}

export interface ReverseProxyOptions {
  /** Origin that the requests continue to. */
  readonly target: string;
  /** Serves the target below this path, as installations behind a shared host do. */
  readonly path?: string;
  /** Added to every answer. */
  readonly headers?: OutgoingHttpHeaders;
}

/** Passes requests on with the `Host` that the browser sent. */
export async function startReverseProxy({
  target,
  path = "",
  headers: added,
}: ReverseProxyOptions): Promise<ReverseProxy> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = "" } = incoming;
    if (!url.startsWith(`${path}/`)) {
      outgoing.writeHead(404).end();
      return;
    }
    const onward = request(target + url.slice(path.length), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...added });
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}${path}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Listens on a free port of 127.0.0.1 and gives it. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

export async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  return port;
}
