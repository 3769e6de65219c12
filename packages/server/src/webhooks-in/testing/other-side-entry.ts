// The provider and the customer of a webhook, in a thread of their own: what they cost is not the server's.
import { createHmac } from "node:crypto";
import { createServer, request } from "node:http";
import { parentPort } from "node:worker_threads";

export interface Sending {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How long the text of the body is. */
  readonly textBytes: number;
  /** Signs as Shopify does. */
  readonly secret: string;
}

export type Said =
  | { readonly kind: "listens"; readonly port: number }
  | { readonly kind: "received"; readonly bytes: number }
  | { readonly kind: "answered"; readonly status: number; readonly bytes: number };

const say = (said: Said) => parentPort?.postMessage(said);

const server = createServer((incoming, response) => {
  let bytes = 0;
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.byteLength;
  });
  incoming.on("end", () => {
    response.end();
    say({ kind: "received", bytes });
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  say({
    kind: "listens",
    port: typeof address === "object" && address !== null ? address.port : 0,
  });
});

parentPort?.on("message", ({ url, headers, textBytes, secret }: Sending) => {
  const body = textBytes === 0 ? "" : JSON.stringify({ text: "x".repeat(textBytes) });
  const signature = createHmac("sha256", secret).update(body).digest("base64");
  const signed = { "x-shopify-topic": "t", "x-shopify-hmac-sha256": signature, ...headers };
  const method = body === "" ? "GET" : "POST";
  const outgoing = request(url, { method, headers: signed }, (answer) => {
    let bytes = 0;
    answer.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
    });
    answer.on("end", () => say({ kind: "answered", status: answer.statusCode ?? 0, bytes }));
  });
  outgoing.end(body);
});
