import { expect, test } from "vitest";
import type { Call } from "#foundation/sandbox";
import { cpuMsOf } from "#foundation/testing";
import { RunSecrets } from "./run-secrets.ts";

const newCall = (method: string, params: unknown): Call => ({
  method,
  params,
  body: new Uint8Array(),
});

async function readConnection(secrets: RunSecrets, token: string): Promise<void> {
  const value = { credentials: { type: "API_KEY", apiKey: token } };
  await secrets.pass(newCall("getConnection", {}), async () => ({ value }));
}

/** The line as it is handed on. */
async function log(secrets: RunSecrets, params: unknown): Promise<unknown> {
  let reported: unknown;
  await secrets.pass(newCall("log", params), async (call) => {
    reported = call.params;
    return { value: null };
  });
  return reported;
}

test("a credential is hidden in texts, in values and in the names of fields", async () => {
  const secrets = new RunSecrets();
  await readConnection(secrets, "token-of-acme");

  const reported = await log(secrets, {
    message: "got token-of-acme",
    meta: { list: ["token-of-acme!"], "token-of-acme": { deep: "token-of-acme" } },
  });

  expect(reported).toEqual({
    message: "got [redacted]",
    meta: { list: ["[redacted]!"], "[redacted]": { deep: "[redacted]" } },
  });
});

test("a run over many connections hides the credentials that it has read last", async () => {
  const secrets = new RunSecrets();
  for (let number = 0; number < 500; number += 1) {
    await readConnection(secrets, `token-of-customer-${number}`);
  }

  expect(await log(secrets, { message: "token-of-customer-499" })).toEqual({
    message: "[redacted]",
  });
});

test("of secrets that begin alike, or are part of each other, nothing is left", async () => {
  const secrets = new RunSecrets();
  const long = `${"k".repeat(70)}-tail`;
  for (const token of ["token-of-acme", "token-of-acme-and-sons", "of-acme-and", long]) {
    await readConnection(secrets, token);
  }

  const reported = await log(secrets, {
    message: `token-of-acme-and-sons, token-of-acme-an, xtoken-of-acm of-acme-andy ${long}! ${long.slice(0, 68)}`,
  });

  expect(reported).toEqual({
    message: "[redacted], [redacted]-an, xtoken-of-acm [redacted]y [redacted]! [redacted]",
  });
});

const hostile: Record<string, (number: number) => string> = {
  "end alike": (number) => `${number}${"a".repeat(8000)}`,
  "begin alike": (number) => `${"a".repeat(50)}b${number}`,
  "begin alike for long": (number) => `${"a".repeat(8000)}b${number}`,
};

test.each(Object.entries(hostile))(
  "200 secrets that %s cost a log line little",
  async (_, make) => {
    const secrets = new RunSecrets();
    for (let number = 0; number < 200; number += 1) await readConnection(secrets, make(number));
    const meta = { lines: Array.from({ length: 6 }, () => "a".repeat(9000)) };
    await log(secrets, { message: "warm", meta });

    const cpuMs = await cpuMsOf(
      async () => await log(secrets, { message: "a".repeat(9000), meta }),
    );

    expect(cpuMs).toBeLessThan(150);
  },
);
