import { expect, test } from "vitest";
import { AppError, createLogger } from "#foundation";
import { createEgress } from "#foundation/egress";
import type { AuthMode } from "../auth-mode.ts";
import { defineAuthMode } from "../define-auth-mode.ts";
import { subjectOfEntry } from "../testing/subject.ts";
import { failedAs, ProviderFailure } from "./provider-failure.ts";

const secrets = {
  typed: "typed-by-the-end-user",
  token: "token-of-the-provider",
  client: "secret-of-the-client",
  config: "secret-of-the-config",
  code: "code-of-the-callback",
};

const subject = subjectOfEntry(
  {
    auth_mode: "API_KEY",
    base_url: "https://api.example.com",
    api_key: [
      {
        placement: "header",
        name: "X-Key",
        value: "{{credentials.apiKey}}{{credentials.pin}}{{config.secret_word}}",
      },
    ],
    credentials: { pin: { title: "PIN", secret: true } },
    connection_config: { secret_word: { title: "Word", secret: true } },
  },
  {
    integrationCredentials: { type: "OAUTH2", client_secret: secrets.client },
    connectionConfig: { secret_word: secrets.config },
  },
);
const given = { type: "API_KEY", pin: secrets.typed, raw: { token: secrets.token }, name: "kept" };
const echo = `The provider said: ${Object.values(secrets).join(", ")}, kept`;

async function fail(kind: "refresh" | "authorization" | "app" | "other"): Promise<never> {
  if (kind === "refresh") throw new ProviderFailure("unavailable", echo, { retryAfterMs: 7 });
  if (kind === "authorization") throw failedAs("token_err", echo);
  if (kind === "app") throw new AppError("connection_test_failed", echo);
  throw new TypeError(echo);
}

test.each([
  ["refresh", { name: "ProviderFailure", kind: "unavailable", retryAfterMs: 7 }],
  ["authorization", { name: "ProviderFailure", ending: "token_err" }],
  ["app", { code: "connection_test_failed" }],
  ["other", {}],
] as const)("a failure of kind %s repeats no secret, and stays what it is", async (kind, facts) => {
  await using http = createEgress({ allow: [], log: createLogger("silent") });
  const hidden = defineAuthMode("API_KEY", {
    fields: {},
    secrets: ["token"],
    accept: async () => await fail(kind),
    finishAuthorization: async () => await fail(kind),
    apply() {},
  });
  const tools = { http, now: new Date(), signal: new AbortController().signal };

  const accepting: Error = await hidden.accept(subject, given, tools).catch((error) => error);
  const finish = { query: { code: secrets.code }, redirectUri: "", codeVerifier: "" };
  const finishing: Error | undefined = await hidden
    .finishAuthorization?.(subject, finish, tools)
    .catch((error) => error);

  expect(accepting).toMatchObject(facts);
  expect(accepting.message).toBe(
    `The provider said: [hidden], [hidden], [hidden], [hidden], ${secrets.code}, kept`,
  );
  expect(finishing?.message).not.toContain(secrets.code);
});

const odd = 'p/s+w=rd "&\u00e9 of the user';
const ascii = JSON.stringify(odd).slice(1, -1).replaceAll("\u00e9", "\\u00e9");

test.each([
  ["percent-encoded", encodeURIComponent(odd)],
  [
    "percent-encoded in lower case",
    encodeURIComponent(odd).replace(/%../g, (x) => x.toLowerCase()),
  ],
  ["of a form", new URLSearchParams({ a: odd }).toString()],
  ["of JSON", JSON.stringify({ a: odd })],
  ["of JSON in ASCII", `{"a":"${ascii}"}`],
  ["of JSON with escaped slashes", `{"a":"${ascii.replaceAll("/", "\\/")}"}`],
  ["in hex", Buffer.from(odd).toString("hex")],
  ["in base64", btoa(Buffer.from(odd).toString("latin1"))],
  ["in base64url", Buffer.from(odd).toString("base64url")],
  ["of Basic credentials", Buffer.from(`u:${odd}`).toString("base64")],
  ["of Basic credentials of another length", Buffer.from(`us:${odd}`).toString("base64")],
])("a secret %s is hidden, in a message as in the details", async (_form, encoded) => {
  await using http = createEgress({ allow: [], log: createLogger("silent") });
  const tools = { http, now: new Date(), signal: new AbortController().signal };
  const details = [{ message: `was ${encoded}`, path: ["a", 1] }];
  const failing = (message: string): AuthMode =>
    defineAuthMode("API_KEY", {
      fields: {},
      secrets: ["token"],
      accept: async () => await Promise.reject(new AppError("invalid_body", message, { details })),
      apply() {},
    });
  const given = { type: "API_KEY", token: odd };
  const catching = async (message: string): Promise<AppError> =>
    await failing(message)
      .accept(subject, given, tools)
      .catch((error) => error);

  const [encodedFailure, plain] = [
    await catching(`It said ${encoded}!`),
    await catching("It said no."),
  ];

  expect(encodedFailure.message).toMatch(/^It said .{0,9}\[hidden\].{0,9}!$/);
  expect(plain.message).toBe("It said no.");
  for (const { details: shown } of [encodedFailure, plain]) {
    expect(shown).toEqual([{ message: expect.stringContaining("[hidden]"), path: ["a", 1] }]);
  }
});
