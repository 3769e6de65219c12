import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { AppError } from "#foundation";
import type { InboundRequest } from "./match/router.ts";
import { verifyRequest } from "./receive/verify-request.ts";
import { hmacRouter } from "./routers/hmac.ts";

const now = new Date("2026-11-21T10:00:00Z");
const time = String(now.getTime() / 1000);
const router = hmacRouter({
  header: "x-signature",
  algorithm: "sha512",
  encoding: "base64",
  prefix: "v1:",
  signed: "{method} {url}.{timestamp}.{body}",
  timestamp_header: "x-time",
  tolerance_seconds: 60,
  required: true,
  type: "header:X-Topic",
  event_id: "meta.id",
  match: [{ value: "account.id", property: "config.account" }],
});

function request(change: Partial<InboundRequest["headers"]> = {}): InboundRequest {
  const body = '{"account":{"id":7},"meta":{"id":"e1"}}';
  const signed = `POST https://here.example/hook.${time}.${body}`;
  const signature = createHmac("sha512", "s").update(signed).digest("base64");
  const headers = { "x-time": time, "x-topic": "made", "x-signature": `v1:${signature}` };
  return {
    method: "POST",
    url: "https://here.example/hook",
    headers: Object.fromEntries(
      Object.entries({ ...headers, ...change }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
    query: {},
    body: Buffer.from(body),
  };
}

async function verify(sent: InboundRequest, webhookSecret: string | undefined = "s", at = now) {
  const keys = {
    webhookSecret,
    clientSecret: undefined,
    app: undefined,
    connectionSecret: undefined,
  };
  const tools = { now: at, fetchText: () => Promise.reject(new Error("unused")) };
  return await verifyRequest({
    router,
    request: sent,
    decoded: sent,
    keys,
    tools,
    allowUnsigned: false,
  }).catch((error: unknown) => (error instanceof AppError ? error.code : error));
}

test("a signature described as data is verified, with its time, and its event matched", async () => {
  const later = new Date(now.getTime() + 61_000);

  expect(await verify(request())).toBe(true);
  expect(await verify(request(), "other")).toBe("webhook_invalid_signature");
  expect(await verify(request(), "s", later)).toBe("webhook_invalid_signature");
  expect(await verify(request({ "x-time": undefined }))).toBe("webhook_invalid_signature");
  expect(await verify(request({ "x-signature": undefined }))).toBe("webhook_missing_signature");
  expect(await verify(request(), "")).toBe("webhook_invalid_signature");
  expect(router.read(request())).toEqual([
    {
      payload: { account: { id: 7 }, meta: { id: "e1" } },
      types: ["made"],
      id: "e1",
      match: [{ property: "config.account", value: "7" }],
    },
  ]);
  expect(router.matchesOn).toEqual(["account"]);
});

test("a header whose name every object has is looked for among those that were sent", async () => {
  for (const header of ["constructor", "tostring", "valueof", "__proto__"]) {
    const named = hmacRouter({
      header,
      algorithm: "sha256",
      encoding: "hex",
      type: `header:${header}`,
    });
    const tools = { now, fetchText: () => Promise.reject(new Error("unused")) };
    const keys = {
      webhookSecret: "s",
      clientSecret: undefined,
      app: undefined,
      connectionSecret: undefined,
    };
    const sent = request();
    const asked = { router: named, request: sent, decoded: sent, keys, tools };

    await expect(verifyRequest({ ...asked, allowUnsigned: false })).rejects.toMatchObject({
      code: "webhook_missing_signature",
    });
    expect(named.read(sent)[0]?.types).toEqual([]);
  }
});
