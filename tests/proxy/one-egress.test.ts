import { randomBytes } from "node:crypto";
import { glob, readFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { expect, test, vi } from "vitest";
import * as z from "zod";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import type { PlatformProcess } from "../launcher/platform-process.ts";
import { callHeaders, key, startPlatform, startUpstream } from "./proxied-api.ts";

const PATIENT = { timeout: 20_000, interval: 50 };

/** Everything of the product that calls an address which somebody else chooses. */
const surfaces = ["proxy", "mint", "refresh", "revoke", "exchange", "discovery", "webhook"];

const misconfigured = "integration_misconfigured";
const backoff = "connection_refresh_backoff";

test.each([
  ["closed", "", [], ["destination_not_allowed", misconfigured, misconfigured]],
  ["opened, as a control", "127.0.0.1/32", surfaces, [undefined, backoff, backoff]],
])(
  "every surface leaves by the one way, %s",
  async (_name, allow, expected, expectedCodes) => {
    await using stack = new AsyncDisposableStack();
    const reached = new Set<string>();
    let connections = 0;
    const answer: RequestListener = ({ url = "" }, response) => {
      const [, surface = ""] = url.split("/");
      // Where an MCP server is asked for its metadata.
      reached.add(surface === ".well-known" ? "discovery" : surface);
      response.writeHead(400, { "content-type": "application/json" }).end('{"error":"trapped"}');
    };
    const trap = await startUpstream(stack, answer, () => {
      connections += 1;
    });
    const database = stack.use(await createServerDatabase());
    const platform = await startPlatform(stack, {
      SVC_DATABASE_URL: database.connectionString,
      SVC_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      SVC_EGRESS_ALLOW: allow,
    });
    const set = "update webhook_settings set primary_url = $1, on_auth_refresh_error = true";
    await database.pool.query(set, [`${trap}/webhook`]);

    const codes = await callAll(platform, trap);
    await vi.waitUntil(async () => {
      const attempts = "select 1 from webhook_deliveries where attempts > 0";
      const isDelivered = (await database.pool.query(attempts)).rows.length > 0;
      return isDelivered && (expected.length === 0 || reached.has("revoke"));
    }, PATIENT);

    expect([...reached].toSorted()).toEqual(expected.toSorted());
    expect(connections > 0).toBe(expected.length > 0);
    expect(codes).toEqual(expectedCodes);
  },
  60_000,
);

// The parts of an answer that are checked here.
const answered = z.looseObject({
  data: z.looseObject({ token: z.string().optional() }).optional(),
  error: z.unknown().optional(),
});
const coded = z.object({ code: z.string() });

/** Makes each surface call; returns the codes of the calls whose caller gets one. */
async function callAll(platform: PlatformProcess, trap: string): Promise<unknown[]> {
  const send = async (method: string, path: string, body?: object, headers?: object) => {
    const response = await fetch(`${platform.url}${path}`, {
      method,
      redirect: "manual",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { json: answered.parse(await response.json()) };
  };
  await send("POST", "/integrations", {
    provider: "private-api-bearer",
    unique_key: "api",
    integration_config: { base_url: `${trap}/proxy` },
  });
  const oauth = { type: "OAUTH2", client_id: "id", client_secret: "secret" };
  await send("POST", "/integrations", {
    provider: "oauth2-generic",
    unique_key: "oauth",
    credentials: oauth,
    integration_config: {
      authorization_url: "https://login.example.com/authorize",
      token_url: `${trap}/exchange`,
      refresh_url: `${trap}/refresh`,
      revocation_url: `${trap}/revoke`,
    },
  });
  await send("POST", "/integrations", {
    provider: "oauth2-cc-generic",
    unique_key: "cc",
    integration_config: { token_url: `${trap}/mint` },
  });
  await send("POST", "/integrations", { provider: "mcp-generic", unique_key: "mcp" });
  const add = async (integration: string, credentials: object) => {
    const body = { provider_config_key: integration, connection_id: integration, credentials };
    return (await send("POST", "/connections", body)).json;
  };
  await add("api", { type: "API_KEY", apiKey: "k" });
  const proxy = await send("GET", "/proxy/x", undefined, callHeaders("api"));
  const expires_at = "2020-01-01T00:00:00Z";
  await add("cc", {
    type: "OAUTH2_CC",
    token: "t",
    client_id: "a",
    client_secret: "b",
    expires_at,
  });
  const mint = await send("GET", "/connections/cc?provider_config_key=cc");
  const tokens = { access_token: "a", refresh_token: "r", expires_at };
  await add("oauth", { type: "OAUTH2", ...tokens });
  const refresh = await send("GET", "/connections/oauth?provider_config_key=oauth");
  await send("DELETE", "/connections/oauth?provider_config_key=oauth");
  for (const [integration, params] of [
    ["oauth", ""],
    ["mcp", `&params[mcp_server_url]=${encodeURIComponent(`${trap}/discovery`)}`],
  ]) {
    const session = await send("POST", "/connect/sessions", {
      tags: { end_user_id: "u" },
      allowed_integrations: [integration],
    });
    const token = session.json.data?.token;
    const start = await fetch(
      `${platform.url}/oauth/connect/${integration}?connect_session_token=${token}${params}`,
      { redirect: "manual" },
    );
    const location = start.headers.get("location") ?? "";
    if (location === "") continue;
    const state = new URL(location).searchParams.get("state") ?? "";
    const cookie = start.headers
      .getSetCookie()
      .map((text) => text.split(";")[0])
      .join("; ");
    await fetch(`${platform.url}/oauth/callback?state=${state}&code=c`, {
      headers: { cookie },
    });
  }
  return [proxy, mint, refresh].map(({ json }) => coded.safeParse(json.error).data?.code);
}

const root = new URL("../../packages/server/src/", import.meta.url);

test("no other module of the server can open a connection to an address", async () => {
  const opens =
    /(?<![.\w])fetch\(|import (?!type)[^;]*from "(undici|node:https|node:http2|node:dgram|pg)"|import (?!type)[^;{]*from "node:tls"|import (?!type)[^;]*\b(connect|createConnection|request|get|TLSSocket)\b[^;]*from "node:(net|http|tls)"|import (?!type)[^;]*(?<!type )\bWebSocket\b[^;]*from "ws"/;
  // The egress itself; what runs in the sandbox, which has no network; our own database and its socket; a customer's
  // database, by a socket of the egress; texts of scripts that browsers run.
  const known =
    /^foundation\/(egress|sandbox|embedded-postgres|db)\/|^tasks\/store\.ts$|^destinations\/target\/connection\/store\.ts$|^connect\/page\/[a-z]+-script\.ts$|testing\/|\.test\.ts$/;
  const found: string[] = [];
  let read = 0;
  for await (const name of glob("**/*.ts", { cwd: root })) {
    if (known.test(name)) continue;
    read += 1;
    const statements = (await readFile(new URL(name, root), "utf8")).split(/;\n/);
    if (statements.some((statement) => opens.test(statement))) found.push(name);
  }

  expect(read).toBeGreaterThan(300);
  expect(found).toEqual([]);
});
