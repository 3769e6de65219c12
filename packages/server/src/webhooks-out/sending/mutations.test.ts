import { randomBytes, randomInt } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { MINUTE } from "#foundation";
import { signWebhook } from "./sign-webhook.ts";

// Promise W2: what another library verifies is exactly what was signed.

const newKey = () => `whsec_${randomBytes(32).toString("base64")}`;

interface Signed {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

async function sign(keys: readonly string[], sentAt = new Date()): Promise<Signed> {
  const body = Buffer.from(JSON.stringify({ from: "svc", text: "Überweisung", n: 1 }));
  const id = `msg_${randomBytes(16).toString("hex")}`;
  return { body, headers: await signWebhook({ id, sentAt, body }, keys) };
}

function isAccepted(key: string, { body, headers }: Signed): boolean {
  try {
    new Webhook(key).verify(body, { ...headers });
    return true;
  } catch {
    return false;
  }
}

function flipBit(bytes: Buffer): Buffer {
  const flipped = Buffer.from(bytes);
  const at = randomInt(flipped.byteLength);
  flipped[at] = (flipped[at] ?? 0) ^ (1 << randomInt(8));
  return flipped;
}

const flip = {
  body: (signed: Signed): Signed => ({ ...signed, body: flipBit(signed.body) }),
  id: (signed: Signed): Signed => withFlipped(signed, "webhook-id"),
  timestamp: (signed: Signed): Signed => withFlipped(signed, "webhook-timestamp"),
};

function withFlipped({ body, headers }: Signed, name: string): Signed {
  const value = flipBit(Buffer.from(headers[name] ?? "", "latin1")).toString("latin1");
  return { body, headers: { ...headers, [name]: value } };
}

test("of 1,000 webhooks with one bit changed in body, id or time none is accepted, unchanged all are", async () => {
  const [key, old] = [newKey(), newKey()];
  const changes = Object.entries(flip);
  const wrong: string[] = [];

  for (let n = 0; n < 1000; n += 1) {
    const signed = await sign(n % 2 === 0 ? [key] : [key, old]);
    const [name, change] = changes[n % changes.length] ?? ["", (same: Signed) => same];
    if (!isAccepted(key, signed)) wrong.push(`${n}: refused as it was sent`);
    if (n % 2 === 1 && !isAccepted(old, signed)) wrong.push(`${n}: refused by the old key`);
    if (isAccepted(key, change(signed))) wrong.push(`${n}: accepted with another ${name}`);
  }

  expect(wrong).toEqual([]);
});

test.each([
  ["six minutes old", -6 * MINUTE, false],
  ["four minutes old", -4 * MINUTE, true],
  ["six minutes ahead", 6 * MINUTE, false],
])("a webhook %s is judged by its time", async (_name, ms, expected) => {
  const key = newKey();

  const signed = await sign([key], new Date(Date.now() + ms));

  expect(isAccepted(key, signed)).toBe(expected);
});

test("a key that signs no longer is refused", async () => {
  const [key, ended] = [newKey(), newKey()];

  expect(isAccepted(ended, await sign([key]))).toBe(false);
});
