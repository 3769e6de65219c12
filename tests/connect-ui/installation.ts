import { randomUUID } from "node:crypto";
import {
  type ConsentMode,
  demoAccount,
  type SimulatedProvider,
  startSimulatedProvider,
} from "@jackfield/simulator";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { type Api, apiOf } from "../journeys/api.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { startReverseProxy } from "./reverse-proxy.ts";

/** A server with a sample provider, and an integration for each kind of form. */
export interface Installation extends AsyncDisposable {
  readonly url: string;
  readonly api: Api;
  /** Behind `harbor` and `harbor-server`, with pages; `quay` grants everything at once. */
  readonly provider: SimulatedProvider;
  createSession(body?: object): Promise<{ token: string; link: string }>;
  /** A further process of the same platform, until the installation ends. */
  startFurther(): Promise<{ readonly url: string }>;
  createReconnectSession(body: object): Promise<{ token: string; link: string }>;
}

export async function startInstallation(
  env: Readonly<Record<string, string>> = {},
): Promise<Installation> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createServerDatabase());
  const folder = stack.use(await makeDataFolder());
  const key = randomUUID();
  const settings = {
    dataDir: folder.path,
    env: { SVC_DATABASE_URL: database.connectionString, SVC_BOOTSTRAP_KEY: key, ...env },
  };
  const platform = await startPlatformProcess(settings);
  stack.defer(async () => {
    await platform.stop();
  });
  const api = apiOf(platform.url, key);
  const provider = stack.use(
    await startProvider({ platformUrl: platform.url, consent: "interactive" }),
  );
  const quick = stack.use(await startProvider({ platformUrl: platform.url, consent: "automatic" }));
  // Pages with this header lose the window that opened them, and it them.
  const walled = stack.use(
    await startReverseProxy({
      target: provider.origin,
      headers: { "cross-origin-opener-policy": "same-origin" },
    }),
  );
  const isCreated = async (body: object): Promise<void> => {
    expect((await api("POST", "/integrations", { body })).body).not.toHaveProperty("error");
  };
  const wall = (url: string): string => url.replace(provider.origin, walled.url);
  for (const body of listIntegrations({ provider, quick, wall })) await isCreated(body);

  const running = stack.move();
  const create = async (path: string, body: object) => {
    const answer = await api("POST", path, { body });
    expect(answer.status).toBe(200);
    const { token, connect_link: link } = answer.body.data;
    return { token, link };
  };
  return {
    url: platform.url,
    api,
    provider,
    async startFurther() {
      const further = await startPlatformProcess(settings);
      running.defer(async () => {
        await further.stop();
      });
      return further;
    },
    createSession: async (body = {}) => await create("/connect/sessions", body),
    createReconnectSession: async (body) => await create("/connect/sessions/reconnect", body),
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

async function startProvider(options: { platformUrl: string; consent: ConsentMode }) {
  return await startSimulatedProvider({
    redirectUris: [`${options.platformUrl}/oauth/callback`],
    contacts: 1,
    consent: options.consent,
  });
}

function listIntegrations({
  provider,
  quick,
  wall,
}: {
  provider: SimulatedProvider;
  quick: SimulatedProvider;
  wall: (url: string) => string;
}): object[] {
  const { oauth, origin } = provider;
  const oauthIntegration = (
    { oauth, origin }: SimulatedProvider,
    [unique_key, display_name]: [string, string],
    authorizationUrl = oauth.authorizationUrl,
  ) => ({
    provider: "oauth2-generic",
    unique_key,
    display_name,
    credentials: {
      type: "OAUTH2",
      client_id: oauth.clientId,
      client_secret: oauth.clientSecret,
      scopes: "openid,offline_access,contacts.read",
    },
    integration_config: {
      authorization_url: authorizationUrl,
      token_url: oauth.tokenUrl,
      base_url: origin,
    },
  });
  return [
    oauthIntegration(provider, ["harbor", "Harbor CRM"]),
    oauthIntegration(provider, ["harbor-walled", "Walled Harbor"], wall(oauth.authorizationUrl)),
    oauthIntegration(quick, ["quay", "Quay Mail"]),
    {
      provider: "oauth2-cc-generic",
      unique_key: "harbor-server",
      display_name: "Harbor Server",
      integration_config: { token_url: oauth.tokenUrl, base_url: origin },
    },
    {
      provider: "private-api-bearer",
      unique_key: "ledger",
      display_name: "Ledger",
      integration_config: { base_url: origin },
    },
  ];
}

/** Signs in at the sample provider and allows, or denies, what is asked for. */
export async function answerAtProvider(popup: Page, answer: "Allow" | "Deny"): Promise<void> {
  await popup.getByLabel("Email").fill(demoAccount.email);
  await popup.getByLabel("Password").fill(demoAccount.password);
  await popup.getByRole("button", { name: "Sign in" }).click();
  await popup.getByRole("button", { name: answer }).click();
}
