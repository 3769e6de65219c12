import { expect, test } from "vitest";
import type { Call } from "#platform/sandbox";
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
  let told: unknown;
  await secrets.pass(newCall("log", params), async (call) => {
    told = call.params;
    return { value: null };
  });
  return told;
}

test("a credential is hidden in texts, in values and in the names of fields", async () => {
  const secrets = new RunSecrets();
  await readConnection(secrets, "token-of-acme");

  const told = await log(secrets, {
    message: "got token-of-acme",
    meta: { list: ["token-of-acme!"], "token-of-acme": { deep: "token-of-acme" } },
  });

  expect(told).toEqual({
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
