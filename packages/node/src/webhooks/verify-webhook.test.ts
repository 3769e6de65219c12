import { createHmac, randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { Jackfield, verifyWebhook, type WebhookEvent } from "../index.ts";

const signingKey = `whsec_${randomBytes(32).toString("base64")}`;
const jackfield = new Jackfield({ apiKey: "key", webhookSigningKey: signingKey });
const body = '{"from":"svc","type":"auth","operation":"creation","success":true,"name":"Zoë"}';

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

const bytes = new TextEncoder().encode(body);

test.each([
  ["a signed body", sign(), body],
  ["bytes", sign(), bytes],
  ["a buffer", sign(), Buffer.from(body)],
  ["an ArrayBuffer", sign(), bytes.buffer],
  ["one of two signatures", both(sign(ago(0), other), sign()), body],
  ["names in capitals", capitals(sign()), body],
])("the event comes of %s", async (_what, headers, given) => {
  for (const form of [headers, new Headers(headers)]) {
    expect(await jackfield.verifyWebhook(given, form)).toEqual(JSON.parse(body));
    expect(await jackfield.verifyIncomingWebhookRequest(given, form)).toBe(true);
  }
});

const untimed = { "X-Svc-Hmac-Sha256": hmacOf(body) };

test.each([
  ["an altered body", sign(), `${body} `, "webhook_signature_mismatch", "signing key"],
  ["another key", sign(new Date(), other), body, "webhook_signature_mismatch", "signing key"],
  ["an old one", sign(ago(6)), body, "webhook_timestamp_invalid", "s old, more than 300 s"],
  ["one of the future", sign(ago(-6)), body, "webhook_timestamp_invalid", "s ahead"],
  ["no time", { ...sign(), "webhook-timestamp": "x" }, body, "webhook_timestamp_invalid", "x"],
  [
    "a broken signature",
    { ...sign(), "webhook-signature": "v1,%%% v2,abc" },
    body,
    "webhook_signature_mismatch",
    "No signature fits",
  ],
  ["no headers", {}, body, "webhook_header_missing", "webhook-id, webhook-timestamp"],
  ["the older header alone", untimed, body, "webhook_header_missing", "allowWithoutTimestamp"],
  [
    "a repetition without its time",
    { ...untimed, "webhook-id": "msg_1" },
    body,
    "webhook_header_missing",
    "webhook-timestamp, webhook-signature",
  ],
  ["a parsed body", sign(), Object(JSON.parse(body)), "webhook_body_parsed", "as received"],
])("%s is refused, with the reason", async (_what, headers, given, code, words) => {
  const refusal = { code, message: expect.stringContaining(words) };

  await expect(jackfield.verifyWebhook(given, headers)).rejects.toMatchObject(refusal);
  await expect(jackfield.verifyIncomingWebhookRequest(given, headers)).rejects.toMatchObject(
    refusal,
  );
});

test("the older header counts only where the caller says so, and only if it fits", async () => {
  const options = { allowWithoutTimestamp: true };
  const cut = { "x-svc-hmac-sha256": hmacOf(body).slice(2) };

  expect(await jackfield.verifyWebhook(body, untimed, options)).toEqual(JSON.parse(body));
  for (const [given, headers] of [
    [`${body} `, untimed],
    [body, cut],
  ] as const) {
    await expect(jackfield.verifyWebhook(given, headers, options)).rejects.toMatchObject({
      code: "webhook_signature_mismatch",
    });
  }
});

test("without a client: several keys, another tolerance, and events distinguished by type", async () => {
  const received = { body, headers: sign(ago(6)), signingKey: [other, signingKey] };

  const event = await verifyWebhook({ ...received, toleranceSeconds: 3600 });
  const describe = (webhook: WebhookEvent): string => {
    switch (webhook.type) {
      case "auth":
        return webhook.success ? webhook.operation : webhook.error.description;
      case "sync":
        return webhook.success ? webhook.modifiedAfter : webhook.failedAt;
      case "async_action":
        return webhook.payload.statusUrl;
      case "problem":
        return webhook.problem.title;
      case "agent_approval":
        return webhook.approval.tool;
      case "agent_tool_changed":
        return webhook.tool.name;
      case "canary":
        return webhook.canary.reason;
      case "forward":
        return webhook.from;
      case "audit":
        return webhook.seal;
    }
  };

  expect(describe(event)).toBe("creation");
  await expect(verifyWebhook({ ...received, signingKey: "" })).rejects.toMatchObject({
    code: "webhook_timestamp_invalid",
  });
  await expect(
    verifyWebhook({ ...received, headers: sign(), signingKey: "whsec_%" }),
  ).rejects.toMatchObject({ code: "webhook_key_invalid" });
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
