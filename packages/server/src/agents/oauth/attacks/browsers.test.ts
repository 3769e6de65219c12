import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Attack, type AttackGround, startAttackGround } from "../../testing/attack-ground.ts";
import { Browser } from "../../testing/browser.ts";
import { REDIRECT } from "../../testing/oauth-app.ts";

let g: AttackGround;
beforeAll(async () => {
  g = await startAttackGround();
});
beforeEach(() => g.reset());
afterAll(async () => await g[Symbol.asyncDispose]());

/** Each resolves to what the attacker gets. */
const attacks: readonly Attack[] = [
  // Requests for authorization.
  [
    "a client that does not exist",
    "page 400",
    async () => await g.authorizeError({ client_id: "nobody" }),
  ],
  [
    "a redirect that the client has not registered",
    "page 400",
    async () => await g.authorizeError({ redirect_uri: "https://evil.example/cb" }),
  ],
  [
    "no proof key",
    "invalid_request",
    async () =>
      await g.authorizeError({ code_challenge: undefined, code_challenge_method: undefined }),
  ],
  [
    "a proof key in the clear",
    "invalid_request",
    async () => await g.authorizeError({ code_challenge_method: "plain" }),
  ],
  [
    "a token in the browser's address",
    "unsupported_response_type",
    async () => await g.authorizeError({ response_type: "token" }),
  ],
  [
    "a resource that is not ours",
    "invalid_target",
    async () => await g.authorizeError({ resource: "https://evil.example/mcp" }),
  ],
  [
    "a resource of another environment",
    "invalid_target",
    async () => {
      const elsewhere = await g.app.app.addEnvironment();
      const id = randomUUID();
      await sql`insert into agent_toolsets (id, environment_id, name, version, created_at)
      values (${id}, ${elsewhere.environment.id}, 't', 1, now())`.execute(g.app.app.database.db);
      await sql`insert into agent_toolset_versions (toolset_id, version, environment_id, settings, created_at)
      values (${id}, 1, ${elsewhere.environment.id}, '{"tools": [], "authorization": {"mode": "hosted"}}', now())`.execute(
        g.app.app.database.db,
      );
      return await g.authorizeError({ resource: `${g.app.url}/mcp/${id}` });
    },
  ],
  [
    "a toolset that lets no clients in",
    "invalid_target",
    async () => await g.authorizeError({ resource: `${g.app.url}/mcp/${g.closed.id}` }),
  ],
  ["no resource", "page 403", async () => await g.authorizeError({ resource: undefined })],
  // Browsers.
  [
    "another browser with the proven one's address",
    404,
    async () => {
      const page = await g.raw.page(await g.raw.client(), g.own.mcp_url);
      return (await new Browser().open(page.url)).status;
    },
  ],
  [
    "the browser that began, without its user's proof",
    404,
    async () => {
      const { browser, id } = await g.waiting();
      const { rows } = await sql<{
        interaction: string;
      }>`select interaction from agent_authorizations where id = ${id}`.execute(
        g.app.app.database.db,
      );
      g.app.signedIn = undefined;
      return (
        await browser.open(`${g.raw.issuer}/interaction/${rows[0]?.interaction}?ticket=guess`)
      ).status;
    },
  ],
  [
    "a victim's proof in the attacker's browser",
    404,
    async () => {
      const { id } = await g.waiting();
      const { body } = await g.answer(id, "victim");
      return (await new Browser().open(body.data.continue_url)).status;
    },
  ],
  [
    "a second word on who the user is",
    404,
    async () => {
      const { id } = await g.waiting();
      await g.answer(id, "ada");
      return (await g.answer(id, "bob")).status;
    },
  ],
  [
    "a user whom the app did not approve",
    403,
    async () => (await g.answer((await g.waiting()).id, "ada", false)).status,
  ],
  [
    "a form that is sent twice",
    404,
    async () => {
      const browser = new Browser();
      const page = await g.raw.page(await g.raw.client(), g.own.mcp_url, browser);
      await browser.press(page, "allow", REDIRECT);
      return (await browser.press(page, "allow", REDIRECT)).status;
    },
  ],
  [
    "a form that another browser sends",
    404,
    async () => {
      const page = await g.raw.page(await g.raw.client(), g.own.mcp_url);
      return (await new Browser().press(page, "allow", REDIRECT)).status;
    },
  ],
  // Codes and tokens.
  [
    "a code that is used twice",
    "invalid_grant",
    async () => {
      const { client, code } = await g.raw.letIn(g.own.mcp_url);
      return (await g.raw.exchange({ client, code, resource: g.own.mcp_url })).body.error;
    },
  ],
  [
    "a code with another proof key",
    "invalid_grant",
    async () => {
      const client = await g.raw.client();
      const code = await g.raw.code(client, g.own.mcp_url);
      return (
        await g.raw.exchange(
          { client, code, resource: g.own.mcp_url },
          { code_verifier: "x".repeat(43) },
        )
      ).body.error;
    },
  ],
  [
    "another client's code",
    "invalid_grant",
    async () => {
      const code = await g.raw.code(await g.raw.client(), g.own.mcp_url);
      return (await g.raw.exchange({ client: await g.raw.client(), code, resource: g.own.mcp_url }))
        .body.error;
    },
  ],
  [
    "a code with another redirect",
    "invalid_grant",
    async () => {
      const client = await g.raw.client();
      const code = await g.raw.code(client, g.own.mcp_url);
      return (
        await g.raw.exchange(
          { client, code, resource: g.own.mcp_url },
          { redirect_uri: `${REDIRECT}/2` },
        )
      ).body.error;
    },
  ],
  [
    "a code for another resource",
    "invalid_target",
    async () => {
      const client = await g.raw.client();
      const code = await g.raw.code(client, g.own.mcp_url);
      return (await g.raw.exchange({ client, code, resource: g.other.mcp_url })).body.error;
    },
  ],
  [
    "another client's refresh token",
    "invalid_grant",
    async () => {
      const { refresh } = await g.raw.letIn(g.own.mcp_url);
      return (await g.raw.refresh(await g.raw.client(), refresh)).body.error;
    },
  ],
  [
    "a refresh token that is used twice",
    "invalid_grant",
    async () => {
      const { client, refresh } = await g.raw.letIn(g.own.mcp_url);
      await g.raw.refresh(client, refresh);
      return (await g.raw.refresh(client, refresh)).body.error;
    },
  ],
  [
    "a client that registers a script as its redirect",
    "invalid_redirect_uri",
    async () => (await g.raw.register({ redirect_uris: ["javascript:alert(1)"] })).body.error,
  ],
  [
    "a client that registers a site without TLS",
    "invalid_redirect_uri",
    async () => (await g.raw.register({ redirect_uris: ["http://evil.example/cb"] })).body.error,
  ],
  [
    "a client document on a closed network",
    "page 400",
    async () => await g.authorizeError({ client_id: "https://10.0.0.1/client.json" }),
  ],
  // Accounts to connect.
  [
    "another person at an address to connect",
    403,
    async () => {
      const url = await g.connectUrl("eve");
      g.app.signedIn = "mallory";
      return (await new Browser().open(url)).status;
    },
  ],
  [
    "another browser at a proven address to connect",
    403,
    async () => {
      const url = await g.connectUrl("eve");
      g.app.signedIn = undefined;
      await new Browser().open(url);
      await sql`update agent_authorizations set state = 'open' where id = ${url.slice(-36)}`.execute(
        g.app.app.database.db,
      );
      const { body } = await g.answer(url.slice(-36), "eve");
      return (await new Browser().open(body.data.continue_url)).status;
    },
  ],
];

test.each(attacks)("%s: refused, and logged", async (_name, expected, attack) => {
  const before = await g.countRefusals();

  const got = await attack();

  expect(got).toBe(expected);
  await expect.poll(g.countRefusals).toBeGreaterThan(before);
});
