import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type OauthDesk,
  startOauthDesk,
} from "../../../packages/server/src/agents/testing/oauth-desk.ts";
import {
  type OidcServer,
  startOidcServer,
} from "../../../packages/server/src/auth-modes/testing/oidc-server.ts";
import { type DataFolder, makeDataFolder } from "../../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../../launcher/platform-process.ts";

// Another server of the protocol behind a certified authorization server, from connecting to a withdrawn token.

let oidc: OidcServer;
let desk: OauthDesk;
let folder: DataFolder;
let platform: PlatformProcess;
let connectionId: string;
let client: Client;

type Answer = ReturnType<typeof JSON.parse>;

beforeAll(async () => {
  oidc = await startOidcServer([], "notes:read notes:delete");
  desk = await startOauthDesk(oidc);
  folder = await makeDataFolder();
  platform = await startPlatformProcess({ dataDir: folder.path });
  await api("POST", "/integrations", { provider: "mcp-generic", unique_key: "desk" });
  connectionId = await connect();
  await api("POST", "/agent/upstreams/desk/refresh", { connection_id: connectionId });
  await api("PUT", "/agent/upstreams/desk/allow", { allow: "all" });
  await api("PUT", "/agent/toolsets/helper", {
    ...{ mode: "direct", tools: [{ integration: "desk" }] },
    policy: {
      preset: "trusted",
      rules: [{ integration: "desk", tainted: true, verdict: "allow" }],
    },
  });
  const asked = { toolset: "helper", end_user_id: "ada" };
  const { data: session } = await api("POST", "/agent/sessions", asked);
  client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { authorization: `Bearer ${session.token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/mcp/helper", platform.url), { requestInit }),
  );
}, 120_000);
afterAll(async () => {
  await client.close();
  await platform.stop();
  await folder[Symbol.asyncDispose]();
  await desk[Symbol.asyncDispose]();
  await oidc[Symbol.asyncDispose]();
});

async function api(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${platform.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${platform.keys.get("dev")}`,
      "content-type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.status, `${method} ${path}: ${text}`).toBeLessThan(300);
  return text === "" ? undefined : JSON.parse(text);
}

/** As the end user does in a browser. */
async function connect(): Promise<string> {
  const asked = { end_user: { id: "ada" }, allowed_integrations: ["desk"] };
  const { data } = await api("POST", "/connect/sessions", asked);
  const query = new URLSearchParams({
    connect_session_token: data.token,
    "params[mcp_server_url]": desk.url,
    "authorization_params[prompt]": "consent",
  });
  const begun = await fetch(`${platform.url}/oauth/connect/desk?${query}`, { redirect: "manual" });
  const location = begun.headers.get("location") ?? "";
  const redirectUri = new URL(location).searchParams.get("redirect_uri") ?? "";
  const callback = new URLSearchParams(await oidc.authorize(location, redirectUri));
  const [cookie = ""] = (begun.headers.get("set-cookie") ?? "").split(";");
  const ended = await fetch(`${platform.url}/oauth/callback?${callback}`, { headers: { cookie } });
  expect(ended.status, await ended.text()).toBe(200);
  const { data: connections } = { data: (await api("GET", "/connections")).connections };
  return connections[0].connection_id;
}

async function call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const { content } = await client.callTool({ name: `desk__${name}`, arguments: args });
  const [first] = content;
  if (first?.type !== "text") throw new Error("the result has no text");
  return JSON.parse(first.text);
}

/** The connection's token is not valid any more. One of the last ten seconds would not be renewed for a refusal. */
async function withdraw(): Promise<string> {
  await sleep(10_500);
  const token = await currentToken();
  await oidc.withdraw(token);
  return token;
}

async function currentToken(): Promise<string> {
  const path = `/connections/${connectionId}?provider_config_key=desk`;
  return (await api("GET", path)).credentials.access_token;
}

test("agents call the server with a token for its address", async () => {
  const answer = await call("add_note", { title: "first" });

  const token = await currentToken();
  expect(answer).toEqual({ count: 1 });
  expect(desk.seen.at(-1)).toMatchObject({ token, status: 200 });
  expect(await oidc.readToken(token)).toMatchObject({ audience: desk.url });
});

test("a token that is withdrawn early is renewed once, and only what was refused is sent again", async () => {
  const before = await withdraw();
  desk.seen.length = 0;
  desk.notes.length = 0;

  const answers = [];
  for (const title of ["second", "third"]) answers.push(await call("add_note", { title }));
  const after = await currentToken();

  expect(answers).toEqual([{ count: 1 }, { count: 2 }]);
  expect(desk.notes).toEqual(["second", "third"]);
  expect(after).not.toBe(before);
  const refused = desk.seen.filter(({ status }) => status === 401);
  expect(refused).toHaveLength(1);
  expect(refused[0]?.token).toBe(before);
  const calls = desk.seen.filter(({ method }) => method === "tools/call");
  expect(calls.filter(({ status }) => status === 200).map(({ token }) => token)).toEqual([
    after,
    after,
  ]);
});

test("ten calls at once with a withdrawn token renew it once, and each is made once", async () => {
  const before = await withdraw();
  desk.seen.length = 0;
  desk.notes.length = 0;
  const titles = Array.from({ length: 10 }, (_, n) => `at once ${n}`);

  await Promise.all(titles.map(async (title) => await call("add_note", { title })));

  expect(desk.notes.toSorted()).toEqual(titles);
  const tokensOf = (wanted: number) =>
    new Set(desk.seen.flatMap(({ status, token }) => (status === wanted ? [token] : [])));
  expect(tokensOf(401)).toEqual(new Set([before]));
  expect(tokensOf(200)).toEqual(new Set([await currentToken()]));
});

test("a call for which the account has agreed to too little says what to do, and does nothing", async () => {
  desk.notes.push("stays");

  const answer = await call("delete_notes");

  expect(answer).toMatchObject({ code: "authorization_required", integration: "desk" });
  expect(answer.message).toContain("notes:delete");
  expect(answer.next).toContain("Ask the user to connect the account again");
  expect(desk.notes).toContain("stays");
});

test("when the account cannot be renewed any more, the agent is asked to have it connected again", async () => {
  const { refresh_token: refresh } = (
    await api("GET", `/connections/${connectionId}?provider_config_key=desk&refresh_token=true`)
  ).credentials;
  await withdraw();
  await oidc.forgetRefreshToken(refresh);
  desk.notes.length = 0;

  const answer = await call("add_note", { title: "late" });

  expect(answer).toMatchObject({ code: "authorization_required", integration: "desk" });
  expect(desk.notes).toEqual([]);
});
