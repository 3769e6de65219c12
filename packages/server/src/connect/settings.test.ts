import { environmentRoutes } from "@jackfield/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { updateEnvironmentSettings } from "#environments";
import { type ConnectServer, startConnectServer } from "./testing/connect-server.ts";
import { begin, createSession, finish, resultOf } from "./testing/end-user.ts";

let server: ConnectServer;

beforeAll(async () => {
  server = await startConnectServer();
});
afterAll(async () => await server[Symbol.asyncDispose]());

async function set(settings: object): Promise<void> {
  const { ctx } = server.installation;
  await sql`
    update environment_settings set settings = ${JSON.stringify(settings)}
     where environment_id = ${ctx.environment.id}`.execute(ctx.db);
}

test("callback_url: providers send the browser there, and the code is exchanged with it", async () => {
  await set({ callback_url: "https://app.example.com/oauth" });

  const begun = await begin(server);
  await finish(server, begun);

  expect(begun.location.searchParams.get("redirect_uri")).toBe("https://app.example.com/oauth");
  expect(await resultOf(server, begun.token)).toMatchObject({ state: "success" });
});

test("connect_allowed_origins: pages that may open and embed, unless the session names its own", async () => {
  await set({ connect_allowed_origins: ["https://app.example.com"] });
  const usual = await createSession(server);
  const own = await createSession(server, { allowed_origins: ["https://other.example.com"] });

  const policies = await Promise.all(
    [usual, own].map(async (token) => {
      const page = await server.call({ url: `/connect/?session_token=${token}` });
      return /frame-ancestors ([^;]+)/.exec(String(page.headers["content-security-policy"]))?.[1];
    }),
  );
  const opened = await Promise.all(
    ["https://app.example.com", "https://other.example.com"].map(async (origin) => {
      const url = `/oauth/connect/oauth?connect_session_token=${usual}&opener_origin=${origin}`;
      return (await server.call({ url })).status;
    }),
  );

  expect(policies).toEqual(["'self' https://app.example.com", "'self' https://other.example.com"]);
  expect(opened).toEqual([302, 400]);
});

test("connect_ui: the page gets its colours, its theme and whether it names us", async () => {
  const connect_ui = {
    theme: { light: { primary: "#112233" }, dark: { primary: "#445566" } },
    default_theme: "dark",
    show_watermark: false,
  };
  const read = async () => {
    const token = await createSession(server);
    const { text } = await server.call({ url: "/connect/session", as: token });
    return JSON.parse(text).data.connectUISettings;
  };

  await set({});
  const usual = await read();
  await set({ connect_ui });
  const changed = await read();

  expect(usual).toEqual({
    theme: { light: { primary: "#00B2E3" }, dark: { primary: "#00B2E3" } },
    defaultTheme: "system",
    showWatermark: true,
    app: { name: null, logo: null, termsUrl: null, privacyUrl: null },
  });
  expect(changed).toEqual({
    theme: connect_ui.theme,
    defaultTheme: "dark",
    showWatermark: false,
    app: { name: null, logo: null, termsUrl: null, privacyUrl: null },
  });
});

test("connect_ui.app: what is set is shown on the page, and kept apart from the settings that older releases read", async () => {
  const { ctx } = server.installation;
  const app = { name: "Quay", terms_url: "https://example.com/terms" };

  await set({});
  await updateEnvironmentSettings(ctx, { connect_ui: { app } });
  await updateEnvironmentSettings(ctx, { connect_ui: { show_watermark: false } });
  const token = await createSession(server);
  const { text } = await server.call({ url: "/connect/session", as: token });
  const { rows } = await sql<{ settings: object; connectApp: object }>`
    select settings, connect_app from environment_settings
     where environment_id = ${ctx.environment.id}`.execute(ctx.db);

  expect(JSON.parse(text).data.connectUISettings).toMatchObject({
    showWatermark: false,
    app: { name: "Quay", logo: null, termsUrl: app.terms_url, privacyUrl: null },
  });
  expect(rows).toEqual([{ settings: { connect_ui: { show_watermark: false } }, connectApp: app }]);
});

test.each([
  "data:image/svg+xml;base64,PHN2Zz4=",
  "https://example.com/logo.png",
  `data:image/png;base64,${"A".repeat(20_000)}`,
])("a logo %.40s is refused", (logo) => {
  expect(
    environmentRoutes.updateEnvironmentSettings.body.safeParse({ connect_ui: { app: { logo } } })
      .success,
  ).toBe(false);
});

test("the page learns which scopes a connection asks for, and of no integration outside the session", async () => {
  const token = await createSession(server, { allowed_integrations: ["oauth"] });
  const read = async (key: string) => {
    const { text } = await server.call({ url: `/connect/session/access/${key}`, as: token });
    return JSON.parse(text);
  };
  const narrowed = await createSession(server, {
    integrations_config_defaults: {
      oauth: { connection_config: { oauth_scopes_override: "read, write" } },
    },
  });

  const usual = await read("oauth");
  const { text } = await server.call({ url: "/connect/session/access/oauth", as: narrowed });
  const begun = await begin(server, { token });

  expect(usual.data.scopes.join(" ")).toBe(begun.location.searchParams.get("scope") ?? "");
  expect(JSON.parse(text).data).toEqual({ scopes: ["read", "write"] });
  expect(await read("other")).toMatchObject({ error: { code: "integration_not_allowed" } });
});
