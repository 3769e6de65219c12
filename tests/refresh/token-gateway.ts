import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** Where a token request can be stopped on its way through the gateway. */
export type GatewayPoint = "asked" | "granted" | "headers";

/** A gateway to a token endpoint: counts, delays and holds its answers. */
export interface TokenGateway extends AsyncDisposable {
  readonly tokenUrl: string;
  /** Refresh tokens in the order in which they were presented. */
  readonly presented: readonly string[];
  readonly mostAtOnce: number;
  /** Requests that have come to this point so far. */
  readonly passed: Readonly<Record<GatewayPoint, number>>;
  /** Runs for each request at each point; it continues when this resolves. */
  onPoint(handler: ((point: GatewayPoint) => Promise<void>) | undefined): void;
  /** Answers the next requests with this, without asking the endpoint. */
  answerWith(answer: { status: number; body: string } | undefined): void;
}

export async function startTokenGateway(upstreamUrl: string): Promise<TokenGateway> {
  const presented: string[] = [];
  const passed = { asked: 0, granted: 0, headers: 0 };
  let inFlight = 0;
  let mostAtOnce = 0;
  let handler: ((point: GatewayPoint) => Promise<void>) | undefined;
  let override: { status: number; body: string } | undefined;

  async function reach(point: GatewayPoint): Promise<void> {
    passed[point] += 1;
    await handler?.(point);
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    presented.push(new URLSearchParams(body).get("refresh_token") ?? "");
    inFlight += 1;
    mostAtOnce = Math.max(mostAtOnce, inFlight);
    try {
      await reach("asked");
      const answer = override ?? (await ask(request, body));
      await reach("granted");
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.write(answer.body.slice(0, 10));
      await reach("headers");
      // The server counts as done before its client can know.
      inFlight -= 1;
      response.end(answer.body.slice(10));
    } catch {
      inFlight -= 1;
      response.destroy();
    }
  }

  async function ask(request: IncomingMessage, body: string) {
    const { authorization, "content-type": contentType } = request.headers;
    const response = await fetch(upstreamUrl, {
      method: "POST",
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        "content-type": contentType ?? "",
      },
      body,
    });
    return { status: response.status, body: await response.text() };
  }

  const server = createServer((request, response) => void pass(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    tokenUrl: `http://127.0.0.1:${port}/token`,
    presented,
    passed,
    get mostAtOnce() {
      return mostAtOnce;
    },
    onPoint(given) {
      handler = given;
    },
    answerWith(given) {
      override = given;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
