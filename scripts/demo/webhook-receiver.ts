import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

export interface ReceivedWebhook {
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The customer's own server: takes webhooks and believes only those whose signature fits. */
export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  /** The next webhook of this type that no earlier call was given. */
  next(type: string): Promise<ReceivedWebhook>;
}

const WAIT_MS = 60_000;

export async function startWebhookReceiver(signingKey: string): Promise<WebhookReceiver> {
  const verifier = new Webhook(signingKey);
  const received: ReceivedWebhook[] = [];
  const waiting = new Map<string, (webhook: ReceivedWebhook) => void>();

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      try {
        const body = verifier.verify(Buffer.concat(chunks), flatHeaders(request.headers));
        take(toWebhook(body));
        response.writeHead(204).end();
      } catch {
        response.writeHead(401).end();
      }
    });
  });
  const take = (webhook: ReceivedWebhook): void => {
    const resolve = waiting.get(webhook.type);
    waiting.delete(webhook.type);
    if (resolve === undefined) received.push(webhook);
    else resolve(webhook);
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    async next(type) {
      const index = received.findIndex((webhook) => webhook.type === type);
      const [known] = index === -1 ? [] : received.splice(index, 1);
      if (known !== undefined) return known;
      return await new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(tooLate(type))), WAIT_MS);
        waiting.set(type, (webhook) => {
          clearTimeout(timer);
          resolve(webhook);
        });
      });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function tooLate(type: string): string {
  return `no ${type} webhook came within ${WAIT_MS / 1000} s. This machine may be too busy: stop other work and try again.`;
}

function flatHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]),
  );
}

function toWebhook(body: unknown): ReceivedWebhook {
  if (typeof body !== "object" || body === null) throw new Error("a webhook is an object");
  const fields = { ...body };
  return { type: "type" in fields ? String(fields.type) : "", body: fields };
}
