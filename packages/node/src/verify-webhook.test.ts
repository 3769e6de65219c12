import { createHmac, randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { Jackfield } from "./index.ts";

const signingKey = `whsec_${randomBytes(32).toString("base64")}`;
const jackfield = new Jackfield({ apiKey: "key", webhookSigningKey: signingKey });
const body = '{"from":"svc","name":"Zoë"}';

function sign(at = new Date(), key = signingKey): Record<string, string> {
  return {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(key).sign("msg_1", at, body),
  };
}

const MINUTE_MS = 60_000;
const other = `whsec_${randomBytes(32).toString("base64")}`;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS);

test.each([
  ["a signed body", sign(), body, true],
  ["one of two signatures", both(sign(ago(0), other), sign()), body, true],
  ["names in capitals", capitals(sign()), body, true],
  ["an altered body", sign(), `${body} `, false],
  ["another key", sign(new Date(), other), body, false],
  ["an old one", sign(ago(6)), body, false],
  ["one of the future", sign(ago(-6)), body, false],
  ["no time", { ...sign(), "webhook-timestamp": "x" }, body, false],
  ["a broken signature", { ...sign(), "webhook-signature": "v1,%%% v2,abc" }, body, false],
  ["no headers", {}, body, false],
  ["the older header", { "X-Svc-Hmac-Sha256": hmacOf(body) }, body, true],
  ["the older header, altered", { "x-svc-hmac-sha256": hmacOf(`${body} `) }, body, false],
  ["the older header, cut", { "x-svc-hmac-sha256": hmacOf(body).slice(2) }, body, false],
])("%s", async (_what, headers, text, expected) => {
  expect(await jackfield.verifyIncomingWebhookRequest(text, headers)).toBe(expected);
  expect(await jackfield.verifyIncomingWebhookRequest(text, new Headers(headers))).toBe(expected);
});

function hmacOf(text: string): string {
  return createHmac("sha256", signingKey).update(text).digest("hex");
}

function both(a: Record<string, string>, b: Record<string, string>): Record<string, string> {
  return { ...b, "webhook-signature": `${a["webhook-signature"]} ${b["webhook-signature"]}` };
}

function capitals(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  );
}

test("asks for the signing key when it has none", async () => {
  const client = new Jackfield({ apiKey: "key" });

  await expect(client.verifyIncomingWebhookRequest(body, sign())).rejects.toMatchObject({
    code: "missing_webhook_signing_key",
  });
});
