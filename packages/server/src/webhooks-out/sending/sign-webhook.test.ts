import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { toSortedJson } from "#foundation/json";
import { signWebhook } from "./sign-webhook.ts";

const key = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const old = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
const body = Buffer.from('{"name":"Zoë"}');
const headers = await signWebhook({ id: "msg_1", sentAt: new Date(), body }, [key, old]);

test("each key that signed verifies by itself", () => {
  expect(new Webhook(key).verify(body, headers)).toEqual({ name: "Zoë" });
  expect(new Webhook(old).verify(body, headers)).toEqual({ name: "Zoë" });
});

test("one changed bit anywhere does not verify", () => {
  const verify = (sent: Buffer, changed: Record<string, string>) => () =>
    new Webhook(key).verify(sent, { ...headers, ...changed });
  const timestamp = String(Number(headers["webhook-timestamp"]) + 1);

  for (let bit = 0; bit < body.byteLength * 8; bit += 1) {
    const altered = Buffer.from(body);
    altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(verify(altered, {})).toThrow();
  }
  expect(verify(body, { "webhook-id": "msg_2" })).toThrow();
  expect(verify(body, { "webhook-timestamp": timestamp })).toThrow();
  expect(() =>
    new Webhook(`whsec_${Buffer.alloc(32).toString("base64")}`).verify(body, headers),
  ).toThrow();
});

test("equal bodies are equal bytes, regardless of the order in which they were built", () => {
  const one = toSortedJson({ b: [{ y: 1, x: null }], a: new Date(0), 10: "", 9: undefined });
  const two = toSortedJson({ 10: "", a: new Date(0), b: [{ x: null, y: 1 }] });

  expect(one).toBe('{"10":"","a":"1970-01-01T00:00:00.000Z","b":[{"x":null,"y":1}]}');
  expect(two).toBe(one);
});
