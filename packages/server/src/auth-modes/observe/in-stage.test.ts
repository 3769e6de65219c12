import type { ConnectStage } from "@jackfield/contract";
import { afterAll, beforeEach, expect, test } from "vitest";
import { createLogger } from "#foundation";
import { createEgress } from "#foundation/egress";
import type { AuthTools } from "../auth-mode.ts";
import { getAuthMode } from "../modes/index.ts";
import { subjectOfEntry } from "../testing/subject.ts";
import { type Answer, startTokenServer } from "../testing/token-server.ts";
import { stageFactsOf } from "./provider-failure.ts";

const server = await startTokenServer();
const http = createEgress({ allow: ["127.0.0.0/8"], log: createLogger("silent") });
let counted: [ConnectStage, string][] = [];
const tools: AuthTools = {
  http,
  now: new Date("2026-05-01T12:00:00.000Z"),
  signal: new AbortController().signal,
  count: (...ended) => counted.push(ended),
};

afterAll(async () => {
  await http[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
beforeEach(() => {
  counted = [];
  server.answer = {};
  server.respond = undefined;
});

const subject = subjectOfEntry(
  {
    auth_mode: "OAUTH2",
    authorization_url: `${server.url}/authorize`,
    token_url: `${server.url}/token`,
    base_url: server.url,
    revocation: { url: `${server.url}/revoke` },
    after_connect: [{ request: { path: "/me" }, save: { account: "id" } }],
  },
  { integrationCredentials: { type: "OAUTH2", client_id: "id", client_secret: "client-secret-1" } },
);
const mode = getAuthMode("OAUTH2");
const finish = {
  query: { code: "code-of-the-callback", state: "s" },
  redirectUri: "https://a.example/cb",
  codeVerifier: "v",
};
const held = { type: "OAUTH2", access_token: "access-one", refresh_token: "refresh-one" };

async function factsOf(work: Promise<unknown> | undefined) {
  return stageFactsOf(
    await work?.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
}

function answerAt(path: string, answer: Answer): void {
  const token = { status: 200, body: JSON.stringify({ access_token: "fresh-access" }) };
  server.respond = ({ url }) => (url === path ? answer : token);
}

test.each([
  ["token", "/token", async () => await mode.finishAuthorization?.(subject, finish, tools)],
  ["after_connect", "/me", async () => await mode.finishAuthorization?.(subject, finish, tools)],
  ["refresh", "/token", async () => await mode.refresh?.(subject, held, tools)],
  ["revocation", "/revoke", async () => await mode.revoke?.(subject, held, tools)],
] as const)("a refusal names the stage %s, status and answer, and is counted", async (...given) => {
  const [stage, path, run] = given;
  answerAt(path, { status: 418, body: '{"error":"teapot","hint":"short and stout"}' });

  const facts = await factsOf(run());

  expect(facts).toEqual({
    stage,
    upstream: { status: 418, body: '{"error":"teapot","hint":"short and stout"}' },
  });
  expect(counted).toContainEqual([stage, "failed"]);
});

test("what went well is counted, stage by stage", async () => {
  answerAt("/me", { body: '{"id":"7"}' });

  await mode.finishAuthorization?.(subject, finish, tools);

  expect(counted).toEqual([
    ["token", "succeeded"],
    ["callback", "succeeded"],
    ["after_connect", "succeeded"],
  ]);
});

test("a callback that tells of an error is a stage of its own; nobody was asked", async () => {
  const query = { error: "access_denied" };

  const facts = await factsOf(mode.finishAuthorization?.(subject, { ...finish, query }, tools));

  expect(facts).toEqual({ stage: "callback" });
  expect(counted).toEqual([["callback", "failed"]]);
});

test("a server that does not answer leaves the stage alone", async () => {
  server.answer = { reset: true };

  expect(await factsOf(mode.refresh?.(subject, held, tools))).toEqual({ stage: "refresh" });
});

test("values that the caller got wrong are nobody's failure", async () => {
  const given = getAuthMode("BASIC").accept(
    subjectOfEntry({ auth_mode: "BASIC", base_url: server.url }),
    { type: "BASIC" },
    tools,
  );

  expect(await factsOf(given)).toBeUndefined();
  expect(counted).toEqual([]);
});

const uuid = "2f1e8f9a-6a1d-4f6b-9d39-0f6a3a2b1c5d";

test.each([
  [
    "what was sent",
    400,
    '{"error":"bad","echo":"refresh-one client-secret-1"}',
    /\[hidden\] \[hidden\]/,
  ],
  ["the header that was sent", 400, "Basic aWQ6Y2xpZW50LXNlY3JldC0x is wrong", /^Basic \[hidden\]/],
  [
    "fields that are named after secrets",
    400,
    '{"error":"bad","id_token":"short"}',
    /"id_token":"\[hidden\]"/,
  ],
  ["words that look like tokens", 400, "no: 9fK2mQ8xLz7Pw3Rt5Vb1Nc4", /^no: \[hidden\]$/],
  [
    "texts of a success",
    200,
    '{"jwt":"abc","error":"none","n":3}',
    /^\{"jwt":"\[hidden\]","error":"none","n":3\}$/,
  ],
  ["a success that is no data", 200, "whole body", /^\[10 bytes\]$/],
])("an answer is shown without %s", async (_what, status, body, shown) => {
  server.answer = { status, body };

  const facts = await factsOf(mode.refresh?.(subject, held, tools));

  expect(facts?.upstream?.body).toMatch(shown);
  expect(facts?.upstream?.body).not.toMatch(/refresh-one|client-secret-1|9fK2|aWQ6/);
});

test("a page loses its markup, trace ids stay, and the rest is cut", async () => {
  const page = `<html><style>b{}</style><h1>Down</h1><p>Trace ${uuid}</p>${"x ".repeat(2000)}`;
  server.answer = { status: 502, body: page };

  const facts = await factsOf(mode.refresh?.(subject, held, tools));

  expect(facts?.upstream?.body).toMatch(new RegExp(`^Down Trace ${uuid} x x .*…$`));
  expect(facts?.upstream?.body).toHaveLength(500);
});

test("a page whose tags never end is read in one pass", async () => {
  server.answer = { status: 502, body: `<p>Down <script>a < b</script>${"<".repeat(1e6)}` };

  const facts = await factsOf(mode.refresh?.(subject, held, tools));

  expect(facts?.upstream?.body).toBe("Down");
});

test.each([
  ["a character that no database keeps", "no\u0000 \u0007way", "no way"],
  ["half a character at the cut", `${"x ".repeat(249)}😀 and more`, / \u{fffd}…$/u],
  ["no end to its depth", `${'{"a":'.repeat(1e4)}1${"}".repeat(1e4)}`, "[60001 bytes]"],
])("of an answer with %s a clean text is shown", async (_what, body, shown) => {
  server.answer = { status: 400, body };

  const facts = await factsOf(mode.refresh?.(subject, held, tools));

  const text = facts?.upstream?.body ?? "";
  expect(text).toEqual(typeof shown === "string" ? shown : expect.stringMatching(shown));
  expect(text.isWellFormed()).toBe(true);
});

test("a secret is hidden before the answer is cut, which may go through it", async () => {
  server.answer = { status: 400, body: `${"x ".repeat(245)}client-secret-1 was sent` };

  const facts = await factsOf(mode.refresh?.(subject, held, tools));

  expect(facts?.upstream?.body).toMatch(/x \[hidden\] …$/);
  expect(facts?.upstream?.body).toHaveLength(500);
});
