import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { expect } from "vitest";

/**
 * The customer's server: keeps what verifies with `standardwebhooks` and whose older signatures cover the very bytes,
 * and counts what does not.
 */
export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  readonly refused: number;
  /** Waits for the nth webhook of a type, counted from 0. */
  nth(type: string, n: number): Promise<Record<string, unknown>>;
  /** Those of a type so far. */
  all(type: string): Record<string, unknown>[];
}

export async function startWebhookReceiver(signingKey: string): Promise<WebhookReceiver> {
  const verifier = new Webhook(signingKey);
  const received: Record<string, unknown>[] = [];
  let refused = 0;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const body = Buffer.concat(chunks);
    const older = {
      "content-type": "application/json",
      "x-svc-hmac-sha256": createHmac("sha256", signingKey).update(body).digest("hex"),
      "x-svc-signature": createHash("sha256").update(signingKey).update(body).digest("hex"),
    };
    try {
      expect(headers).toMatchObject(older);
      received.push(Object(verifier.verify(body, headers)));
      response.writeHead(200).end();
    } catch {
      refused += 1;
      response.writeHead(401).end();
    }
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const ofType = (type: string) => received.filter((webhook) => webhook["type"] === type);
  return {
    url: `http://127.0.0.1:${port}/`,
    get refused() {
      return refused;
    },
    all: ofType,
    async nth(type, n) {
      await expect
        .poll(() => ofType(type).length, { timeout: 30_000, interval: 20 })
        .toBeGreaterThan(n);
      return ofType(type)[n] ?? {};
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
