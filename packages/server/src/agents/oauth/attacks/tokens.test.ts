import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE } from "#foundation";
import { type Attack, type AttackGround, startAttackGround } from "../../testing/attack-ground.ts";
import { startIssuer } from "../../testing/issuer.ts";

let g: AttackGround;
beforeAll(async () => {
  g = await startAttackGround();
});
beforeEach(() => g.reset());
afterAll(async () => await g[Symbol.asyncDispose]());

/** Each resolves to what the attacker gets. */
const attacks: readonly Attack[] = [
  // Tokens at the wrong door.
  ["a token that nobody gave", 401, async () => await g.status(g.own.mcp_url, "x".repeat(43))],
  [
    "a session's token that nobody gave",
    401,
    async () => await g.status(g.own.mcp_url, `svc_agent_${"0".repeat(64)}`),
  ],
  [
    "a session of another toolset, by name",
    403,
    async () => await g.status(`${g.app.url}/mcp/other`, (await g.beginSession("own")).token),
  ],
  [
    "a session of another toolset, by id",
    403,
    async () => await g.status(g.other.mcp_url, (await g.beginSession("own")).token),
  ],
  [
    "a client's token for another toolset",
    403,
    async () => await g.status(g.other.mcp_url, (await g.raw.letIn(g.own.mcp_url)).access),
  ],
  [
    "a client's token at an address that is not its audience",
    403,
    async () => await g.status(`${g.app.url}/mcp/own`, (await g.raw.letIn(g.own.mcp_url)).access),
  ],
  [
    "a refresh token in place of an access token",
    401,
    async () => await g.status(g.own.mcp_url, (await g.raw.letIn(g.own.mcp_url)).refresh),
  ],
  [
    "a code in place of an access token",
    401,
    async () =>
      await g.status(g.own.mcp_url, await g.raw.code(await g.raw.client(), g.own.mcp_url)),
  ],
  [
    "an access token after it was revoked",
    401,
    async () => {
      const { client, refresh, access } = await g.raw.letIn(g.own.mcp_url);
      await fetch(`${g.raw.issuer}/revoke`, {
        method: "POST",
        body: new URLSearchParams({ token: refresh, client_id: client }),
      });
      return await g.status(g.own.mcp_url, access);
    },
  ],
  [
    "an access token after its time",
    401,
    async () => {
      const { access } = await g.raw.letIn(g.own.mcp_url);
      g.app.app.clock.advance(16 * MINUTE);
      return await g.status(g.own.mcp_url, access);
    },
  ],
  [
    "a client's token after its toolset has let no more clients in",
    401,
    async () => {
      const { mcp_url: url } = await g.app.putToolset("shut");
      const { access } = await g.raw.letIn(url);
      await g.app.putToolset("shut", { authorization: undefined });
      return await g.status(url, access);
    },
  ],
  [
    "the token of a session that was ended",
    401,
    async () => {
      const { token, id } = await g.beginSession("own");
      await g.app.api("DELETE", `/agent/sessions/${id}`);
      return await g.status(`${g.app.url}/mcp/own`, token);
    },
  ],
  // Tokens of the customer's issuer.
  [
    "an issuer's token for another audience",
    401,
    async () =>
      await g.status(
        g.external.mcp_url,
        await g.issuer.sign(g.claims({ aud: "https://other.example" })),
      ),
  ],
  [
    "an issuer's token for another toolset",
    401,
    async () =>
      await g.status(g.external.mcp_url, await g.issuer.sign(g.claims({ aud: g.own.mcp_url }))),
  ],
  [
    "an issuer's token at a toolset of the hosted server",
    401,
    async () =>
      await g.status(g.own.mcp_url, await g.issuer.sign(g.claims({ aud: g.own.mcp_url }))),
  ],
  [
    "a token that names another issuer",
    401,
    async () =>
      await g.status(
        g.external.mcp_url,
        await g.issuer.sign(g.claims({ iss: "https://evil.example" })),
      ),
  ],
  [
    "a token that another issuer has signed",
    401,
    async () => {
      await using evil = await startIssuer();
      return await g.status(
        g.external.mcp_url,
        await evil.sign(g.claims({ iss: g.issuer.issuer })),
      );
    },
  ],
  [
    "a token without a signature",
    401,
    async () => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
      const text = `${part({ alg: "none" })}.${part({ iss: g.issuer.issuer, ...g.claims() })}.`;
      return await g.status(g.external.mcp_url, `${text}AA`);
    },
  ],
  [
    "a token signed with the public key as a secret",
    401,
    async () => {
      const keys = await (await fetch(`${g.issuer.issuer}/jwks`)).text();
      return await g.status(
        g.external.mcp_url,
        await g.issuer.sign(g.claims(), { key: Buffer.from(keys), alg: "HS256" }),
      );
    },
  ],
  [
    "a token after its time",
    401,
    async () => await g.status(g.external.mcp_url, await g.issuer.sign(g.claims({ exp: 1 }))),
  ],
  [
    "a token that names no end user",
    401,
    async () =>
      await g.status(g.external.mcp_url, await g.issuer.sign(g.claims({ sub: undefined }))),
  ],
  // Inside a session.
  [
    "the handle of another session's result",
    "not_found",
    async () => {
      const address = `${g.app.url}/mcp/own`;
      const first = await g.raw.tool(address, (await g.beginSession("own")).token, "crm__long");
      const { handle } = JSON.parse(first.body.result.content[0].text);
      return await g.codeOf(address, (await g.beginSession("own", "bob")).token, "read_result", {
        handle,
      });
    },
  ],
  [
    "another end user's account, by its name",
    "account_required",
    async () => {
      const search = await g.app.putToolset("searching", { mode: "search" });
      const args = { name: "crm__whose", account: "bob-crm" };
      return await g.codeOf(
        `${g.app.url}/mcp/${search.name}`,
        (await g.beginSession("searching")).token,
        "read_tool",
        args,
      );
    },
  ],
  [
    "a tool that the toolset has not",
    "unknown_tool",
    async () => {
      await g.app.putToolset("narrow", { tools: [{ integration: "crm", actions: ["whose"] }] });
      return await g.codeOf(
        `${g.app.url}/mcp/narrow`,
        (await g.beginSession("narrow")).token,
        "crm__change",
      );
    },
  ],
  [
    "a tool that writes, where reading was allowed",
    "unknown_tool",
    async () =>
      await g.codeOf(
        g.own.mcp_url,
        (await g.raw.letIn(g.own.mcp_url, "read")).access,
        "crm__change",
      ),
  ],
  [
    "another session's request state",
    -32602,
    async () => {
      const requestState = await g.stateFor((await g.beginSession("own", "eve")).token);
      return (
        await g.modern((await g.beginSession("own", "mallory")).token, {
          ...g.initial,
          requestState,
          inputResponses: {},
        })
      ).error.code;
    },
  ],
  [
    "the request state of another call",
    -32602,
    async () => {
      const { token } = await g.beginSession("own", "eve");
      const requestState = await g.stateFor(token);
      const call = {
        name: "crm__whose",
        arguments: { more: true },
        requestState,
        inputResponses: {},
      };
      return (await g.modern(token, call)).error.code;
    },
  ],
  [
    "a request state that was changed",
    -32602,
    async () => {
      const { token } = await g.beginSession("own", "eve");
      const requestState = `${await g.stateFor(token)}A`;
      return (await g.modern(token, { ...g.initial, requestState, inputResponses: {} })).error.code;
    },
  ],
];

test.each(attacks)("%s: refused, and logged", async (_name, expected, attack) => {
  const before = await g.countRefusals();

  const got = await attack();

  expect(got).toBe(expected);
  await expect.poll(g.countRefusals).toBeGreaterThan(before);
});
