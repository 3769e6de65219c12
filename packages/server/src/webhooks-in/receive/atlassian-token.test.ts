import { createHash, createHmac, generateKeyPairSync, sign } from "node:crypto";
import { expect, test } from "vitest";
import { AppError } from "#foundation";
import type { InboundRequest, WebhookKeys } from "../match/router.ts";
import { jira } from "../routers/jira.ts";
import { verifyRequest } from "./verify-request.ts";

const NOW = new Date("2026-11-22T10:00:00Z");
const second = NOW.getTime() / 1000;
const SECRET = "the client's secret";
const keys = { webhookSecret: "the webhook's secret", clientSecret: SECRET };
const fresh = { iss: "jira:1", iat: second, exp: second + 180 };

interface Token {
  readonly claims?: object;
  readonly header?: object;
  readonly sign?: (content: string) => Buffer;
}

const hs256 = (content: string) => createHmac("sha256", SECRET).update(content).digest();

function tokenOf({ claims = fresh, header = {}, sign = hs256 }: Token = {}): string {
  const content = [{ alg: "HS256", typ: "JWT", ...header }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${content}.${sign(content).toString("base64url")}`;
}

interface Sent {
  readonly authorization?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly method?: string;
  readonly keys?: Partial<WebhookKeys>;
}

async function verify(sent: Sent): Promise<boolean | string> {
  const { authorization, headers, url = "https://hooks.example.com/webhook/e/jira" } = sent;
  const request: InboundRequest = {
    method: sent.method ?? "POST",
    url,
    headers: { ...headers, ...(authorization !== undefined && { authorization }) },
    query: {},
    body: Buffer.from('{"webhookEvent":"jira:issue_created"}'),
  };
  const given = { webhookSecret: undefined, clientSecret: undefined, ...(sent.keys ?? keys) };
  return await verifyRequest({
    router: jira,
    request,
    decoded: request,
    keys: { app: undefined, connectionSecret: undefined, ...given },
    tools: { now: NOW, fetchText: () => Promise.reject(new Error("unused")) },
    allowUnsigned: false,
  }).catch((error: unknown) => (error instanceof AppError ? error.code : Promise.reject(error)));
}

const bearer = async (token: Token) => await verify({ authorization: `Bearer ${tokenOf(token)}` });
const refused = "webhook_invalid_signature";

test("a token counts from when it was made until it ends, give or take a minute", async () => {
  const at = (claims: object) => bearer({ claims });

  expect([
    await at({ exp: second - 50 }),
    await at({ iat: second + 50, exp: second + 200 }),
    await at({ iat: second - 290 }),
  ]).toEqual([true, true, true]);
  expect([
    await at({ ...fresh, exp: second - 70 }),
    await at({ ...fresh, iat: second + 70 }),
    await at({ iat: second - 310 }),
    await at({ ...fresh, nbf: second + 70 }),
    await at({ iss: "jira:1" }),
    await at({ ...fresh, exp: "never" }),
  ]).toEqual(Array(6).fill(refused));
});

test("no other algorithm is read, regardless of who signs with it", async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const none = `${tokenOf({ header: { alg: "none" } })
    .split(".", 2)
    .join(".")}.`;
  const tokens = [
    none,
    tokenOf({ header: { alg: "none" } }),
    tokenOf({ header: { alg: "hs256" } }),
    tokenOf({
      header: { alg: "HS512" },
      sign: (content) => createHmac("sha512", SECRET).update(content).digest(),
    }),
    tokenOf({
      header: { alg: "RS256" },
      sign: (content) => sign("sha256", Buffer.from(content), privateKey),
    }),
    tokenOf({ header: { crit: ["exp"] } }),
    tokenOf({ sign: () => Buffer.alloc(0) }),
    tokenOf({ sign: (content) => createHmac("sha256", "other").update(content).digest() }),
    tokenOf({
      sign: (content) => createHmac("sha256", keys.webhookSecret).update(content).digest(),
    }),
  ];

  const outcomes = await Promise.all(
    tokens.map(async (token) => await verify({ authorization: `Bearer ${token}` })),
  );

  expect(outcomes).toEqual(tokens.map(() => refused));
});

test("what claims to be a token and is none is refused, not taken for unsigned", async () => {
  const whole = tokenOf();
  const texts = [
    "Bearer",
    "Bearer ",
    "JWT x",
    `Bearer ${whole}, Bearer ${whole}`,
    `Bearer ${whole} ${whole}`,
    `Bearer ${whole.slice(0, -2)}`,
    `Bearer ${whole.split(".")[2]}`,
    `Bearer ${whole}.${whole}`,
    `Bearer .${whole}`,
  ];
  const withoutWebhookSecret = { clientSecret: SECRET };
  const withoutClient = { webhookSecret: SECRET };
  const outcomes = await Promise.all(
    texts.flatMap((authorization) =>
      [keys, withoutWebhookSecret, withoutClient].map(
        async (given) => await verify({ authorization, keys: given }),
      ),
    ),
  );

  expect(new Set(outcomes)).toEqual(new Set([refused]));
  expect(await verify({ authorization: `bearer  ${whole}` })).toBe(true);
});

test("a secret of the webhook's own is asked for where no token comes", async () => {
  const basic = { authorization: "Basic YTpi" };

  expect(await verify({})).toBe("webhook_missing_signature");
  expect(await verify(basic)).toBe("webhook_missing_signature");
  expect(await verify({ keys: { clientSecret: SECRET } })).toBe(false);
  expect(
    await verify({
      authorization: `Bearer ${tokenOf()}`,
      headers: { "x-hub-signature": "sha256=00" },
    }),
  ).toBe(refused);
});

// Atlassian docs, "Understanding JWT for Connect apps": the example's address and the hash of it.
const EXAMPLE =
  "/hello-world?lic=none&tz=Australia%2FSydney&cp=%2Fjira&user_key=&loc=en-US&user_id=&jwt=a.b.c&xdm_e=http%3A%2F%2Fstorm%3A2990&xdm_c=channel-servlet-hello-world&xdm_p=1";
const EXAMPLE_HASH = "8063ff4ca1e41df7bc90c8ab6d0f6207d491cf6dad7c66ea797b4614b71922e9";

test("a Connect app's token proves the request that it names, below the app's base URL", async () => {
  const sent = async (qsh: unknown, url: string, method = "GET") =>
    await verify({
      authorization: `JWT ${tokenOf({ claims: { ...fresh, qsh } })}`,
      url: `https://hooks.example.com${url}`,
      method,
      keys: { clientSecret: SECRET },
    });
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const path = "/webhook/e/jira";

  expect([
    await sent(EXAMPLE_HASH, EXAMPLE),
    await sent(EXAMPLE_HASH, `/base${EXAMPLE}`),
    await sent(hash(`POST&${path}&`), path, "POST"),
    await sent(hash("POST&/jira&"), path, "POST"),
    await sent(
      hash("POST&/webhook/e/jira&a=1,2%2B3&b=%2A%20x"),
      `${path}?b=*%20x&a=2%2B3&a=1`,
      "POST",
    ),
  ]).toEqual(Array(5).fill(true));
  expect([
    await sent(EXAMPLE_HASH, EXAMPLE, "POST"),
    await sent(EXAMPLE_HASH, EXAMPLE.replace("xdm_p=1", "xdm_p=2")),
    await sent(EXAMPLE_HASH, EXAMPLE.replace("hello", "other")),
    await sent("context-qsh", path, "POST"),
    await sent(1, path, "POST"),
    await sent("", path, "POST"),
    await sent(null, path, "POST"),
  ]).toEqual(Array(7).fill(refused));
});
