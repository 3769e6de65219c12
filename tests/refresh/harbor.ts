import { randomUUID } from "node:crypto";
import { join } from "node:path";
import {
  approveAuthorization,
  type SimulatedProvider,
  startSimulatedProvider,
} from "@jackfield/simulator";
import pg from "pg";
import {
  exchangeCode,
  newAuthorizationRequest,
  redirectUri,
} from "../../packages/simulator/src/testing/code-flow.ts";
import { failingServerArgs } from "../launcher/command-line-bundle.ts";
import { type DataFolder, makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, spawnPlatform } from "../launcher/platform-process.ts";
import { startTokenGateway, type TokenGateway } from "./token-gateway.ts";

/** Processes of one installation, a rotating authorization server, and connections to it. */
export interface Harbor extends AsyncDisposable {
  readonly provider: SimulatedProvider;
  readonly gateway: TokenGateway;
  readonly folder: DataFolder;
  /** Starts one more process; one with a failpoint kills itself there at the n-th attempt. */
  start(seams?: {
    failpoint?: { name: string; count: number };
    clockSkewMs?: number;
  }): Promise<PlatformProcess>;
  /** Tokens of another grant, which no connection has yet. */
  authorize(): Promise<{ readonly accessToken: string; readonly refreshToken: string }>;
  /** Any call, with its whole answer. */
  ask(
    platform: PlatformProcess,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly text: string }>;
  /** Makes connections whose tokens are real. */
  connect(platform: PlatformProcess, count: number): Promise<string[]>;
  get(platform: PlatformProcess, connectionId: string, query?: string): Promise<Answer>;
  /** Any other call; throws when it fails. */
  send(platform: PlatformProcess, method: string, path: string, body?: object): Promise<void>;
  proxy(platform: PlatformProcess, connectionId: string, integration?: string): Promise<Answer>;
  /** A connection of the integration `elsewhere`, whose token endpoint is not the gateway. */
  connectElsewhere(platform: PlatformProcess): Promise<string>;
  /** Makes the stored access tokens expire. */
  expire(connectionIds: readonly string[]): Promise<void>;
  query<Row extends object>(statement: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Answer {
  readonly status: number;
  /** Access token of a connection that was read. */
  readonly token: string | undefined;
  readonly code: string | undefined;
  readonly metadata: unknown;
  readonly tags: unknown;
}

export async function startHarbor(databaseUrl: string): Promise<Harbor> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeDataFolder());
  const provider = stack.use(
    await startSimulatedProvider({
      redirectUris: [redirectUri],
      contacts: 1,
      consent: "automatic",
    }),
  );
  const gateway = stack.use(await startTokenGateway(provider.oauth.tokenUrl));
  const key = randomUUID();
  const options = {
    dataDir: join(folder.path, "data"),
    env: {
      SVC_DATABASE_URL: databaseUrl,
      SVC_BOOTSTRAP_KEY: key,
      SVC_ROLES: "api",
      SVC_LOG_LEVEL: "error",
    },
  };
  let isPrepared = false;

  async function ask(
    platform: PlatformProcess,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; text: string }> {
    const response = await fetch(`${platform.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }

  async function send(
    platform: PlatformProcess,
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer> {
    const { status, text } = await ask(platform, method, path, body);
    return toAnswer(status, text);
  }

  async function change(
    platform: PlatformProcess,
    method: string,
    path: string,
    body?: object,
  ): Promise<void> {
    const { status, code } = await send(platform, method, path, body);
    if (status >= 300) throw new Error(`${method} ${path} answered ${status} ${code}`);
  }

  function toIntegration(uniqueKey: string, tokenUrl: string): object {
    const { oauth, origin } = provider;
    return {
      provider: "oauth2-generic",
      unique_key: uniqueKey,
      credentials: {
        type: "OAUTH2",
        client_id: oauth.clientId,
        client_secret: oauth.clientSecret,
      },
      integration_config: {
        authorization_url: oauth.authorizationUrl,
        token_url: tokenUrl,
        revocation_url: oauth.revocationUrl,
        base_url: origin,
      },
    };
  }

  async function prepare(platform: PlatformProcess): Promise<void> {
    if (isPrepared) return;
    isPrepared = true;
    await change(platform, "POST", "/integrations", toIntegration("harbor", gateway.tokenUrl));
  }

  const running = stack.move();
  return {
    provider,
    gateway,
    folder,
    async start({ failpoint, clockSkewMs = 0 } = {}) {
      const { name, count } = failpoint ?? { name: "", count: 1 };
      const args = [...failingServerArgs(), name, `${count}`, `${clockSkewMs}`];
      const platform = await spawnPlatform(args, options);
      running.defer(async () => await platform.kill());
      return platform;
    },
    ask,
    async authorize() {
      const { access_token: accessToken = "", refresh_token: refreshToken = "" } =
        await authorize(provider);
      return { accessToken, refreshToken };
    },
    async connect(platform, count) {
      await prepare(platform);
      const ids: string[] = [];
      for (let index = 0; index < count; index += 1) {
        const connectionId = randomUUID();
        const { access_token, refresh_token } = await authorize(provider);
        await change(platform, "POST", "/connections", {
          provider_config_key: "harbor",
          connection_id: connectionId,
          credentials: {
            type: "OAUTH2",
            access_token,
            refresh_token,
            expires_at: new Date(Date.now() + 3_600_000).toISOString(),
          },
        });
        ids.push(connectionId);
      }
      return ids;
    },
    async get(platform, connectionId, query = "") {
      const path = `/connections/${connectionId}?provider_config_key=harbor${query}`;
      return await send(platform, "GET", path);
    },
    send: change,
    async connectElsewhere(platform) {
      await change(
        platform,
        "POST",
        "/integrations",
        toIntegration("elsewhere", provider.oauth.tokenUrl),
      );
      const connectionId = randomUUID();
      const { access_token, refresh_token } = await authorize(provider);
      await change(platform, "POST", "/connections", {
        provider_config_key: "elsewhere",
        connection_id: connectionId,
        credentials: { type: "OAUTH2", access_token, refresh_token },
      });
      return connectionId;
    },
    async proxy(platform, connectionId, integration = "harbor") {
      const response = await fetch(`${platform.url}/proxy/api/contacts?limit=1`, {
        headers: {
          authorization: `Bearer ${key}`,
          "provider-config-key": integration,
          "connection-id": connectionId,
        },
      });
      return toAnswer(response.status, await response.text());
    },
    async expire(connectionIds) {
      await query(
        databaseUrl,
        "update connections set credentials_expire_at = now() - interval '1 second' where connection_id = any($1)",
        [connectionIds],
      );
    },
    query: async (statement, values = []) => await query(databaseUrl, statement, values),
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}

async function authorize(provider: SimulatedProvider) {
  const request = newAuthorizationRequest(provider);
  const callback = await approveAuthorization(request.url);
  return await exchangeCode(provider, callback, request.codeVerifier);
}

async function query<Row extends object>(
  connectionString: string,
  statement: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(statement, [...values])).rows;
  } finally {
    await client.end();
  }
}

function toAnswer(status: number, text: string): Answer {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers and compare what they find
  const body: any = text.startsWith("{") ? JSON.parse(text) : {};
  const { credentials, error, metadata, tags } = body;
  return { status, token: credentials?.access_token, code: error?.code, metadata, tags };
}
