import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { messageOf } from "../errors.ts";
import type { Logger } from "../logger/index.ts";
import type { Secret } from "../secret.ts";

export interface MetricsEndpointOptions {
  readonly host: string;
  readonly port: number;
  /** Asked for as a bearer token; without one there is none. */
  readonly key: Secret<string> | undefined;
  readonly log: Logger;
  readonly contentType: string;
  readonly read: () => Promise<string>;
}

export interface MetricsEndpoint extends AsyncDisposable {
  readonly port: number;
}

/** Serves `GET /metrics` on a port of its own, so that it is never where the API is. */
export async function startMetricsEndpoint(
  options: MetricsEndpointOptions,
): Promise<MetricsEndpoint> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 });
  let running: Promise<string> | undefined;
  // Scrapes that come at once share one reading.
  const read = async () => {
    running ??= options.read().finally(() => {
      running = undefined;
    });
    return await running;
  };
  server.on("request", (request, response) => {
    void answer(options, request, response, read);
  });
  server.maxConnections = 20;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: options.host, port: options.port, exclusive: true }, resolve);
  });
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : options.port;
  options.log.info("metrics.listening", { host: options.host, port });
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(
  { key, contentType, log }: MetricsEndpointOptions,
  request: IncomingMessage,
  response: ServerResponse,
  read: () => Promise<string>,
): Promise<void> {
  const send = (status: number, text: string, headers: Record<string, string> = {}) => {
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8", ...headers });
    response.end(request.method === "HEAD" ? undefined : text);
  };
  if (request.url?.split("?", 1)[0] !== "/metrics") return send(404, "Only /metrics is here.\n");
  if (request.method !== "GET" && request.method !== "HEAD") {
    return send(405, "Metrics are read with GET.\n", { allow: "GET, HEAD" });
  }
  if (key !== undefined && !hasKey(request, key)) {
    const text = "Send the key of SVC_METRICS_KEY as a bearer token.\n";
    return send(401, text, { "www-authenticate": "Bearer" });
  }
  try {
    send(200, await read(), { "content-type": contentType });
  } catch (error) {
    log.error("metrics.read_failed", { reason: messageOf(error) });
    send(500, "The metrics could not be read; the log of the server says why.\n");
  }
}

function hasKey({ headers }: IncomingMessage, key: Secret<string>): boolean {
  const [, given = ""] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  return timingSafeEqual(digest(given), digest(key.reveal()));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
