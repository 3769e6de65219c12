import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** One call as a fake sees it. */
export interface FakeCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Address of the fake, for links. */
  readonly origin: string;
}

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes go out as they are, everything else as JSON. */
  readonly body: unknown;
}

/** Answers the calls of one provider; undefined for what it does not have. */
export type FakeProvider = (call: FakeCall) => FakeAnswer | undefined;

export interface RunningFake extends AsyncDisposable {
  readonly url: string;
}

/** Serves a fake on a loopback port. `token` must come as bearer token, as the real provider's would; after `sandbox-` it is a sandbox's. */
export async function startFake(
  provider: FakeProvider,
  { port, token }: { port: number; token: string },
): Promise<RunningFake> {
  const server = createServer((request, response) => void serve(request, response));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : port}`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = new URL(request.url ?? "/", url);
    const isKnown = [token, `sandbox-${token}`].some(
      (known) => request.headers.authorization === `Bearer ${known}`,
    );
    const answer = isKnown
      ? provider({
          method: request.method ?? "GET",
          path: target.pathname,
          query: target.searchParams,
          headers: request.headers,
          body: await text(request),
          origin: url,
        })
      : { status: 401, body: { message: "Bad credentials" } };
    const {
      status = 200,
      headers = {},
      body,
    } = answer ?? { status: 404, body: { message: "Not Found" } };
    const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(bytes);
  }

  return {
    url,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close").catch(() => {});
    },
  };
}
