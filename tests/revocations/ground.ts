import { randomUUID } from "node:crypto";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import {
  type RevocationServer,
  startRevocationServer,
} from "../../packages/server/src/revocations/testing/revocation-server.ts";
import { type Api, apiOf } from "../journeys/api.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import type { PlatformProcess } from "../launcher/platform-process.ts";
import { rolesOf } from "../launcher/start-roles.ts";

/** Processes of one installation, and a provider whose tokens they withdraw. */
export interface Ground extends AsyncDisposable {
  readonly provider: RevocationServer;
  /** Integration `crm`, whose calls go to this address. */
  start(roles: string): Promise<{ readonly process: PlatformProcess; readonly api: Api }>;
  /** Makes the integration, and connections with tokens of their own. */
  connect(api: Api, count: number): Promise<string[]>;
  headers(connectionId: string): Record<string, string>;
}

export async function startGround(baseUrl: string): Promise<Ground> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createServerDatabase());
  const folder = stack.use(await makeDataFolder());
  const provider = stack.use(await startRevocationServer());
  const key = randomUUID();
  const env = { SVC_WORKER_TIMEOUT: "2", SVC_DATABASE_CONNECTIONS: "10" };
  const start = rolesOf({
    ...{ databaseUrl: database.connectionString, folder: folder.path, key, env },
  });
  const running = stack.move();
  return {
    provider,
    async start(roles) {
      const process = await start(roles);
      running.defer(async () => await process.kill());
      return { process, api: apiOf(process.url, key) };
    },
    async connect(api, count) {
      await api("POST", "/integrations", {
        body: {
          ...{ provider: "oauth2-generic", unique_key: "crm" },
          credentials: { type: "OAUTH2", client_id: "client", client_secret: "a client secret" },
          integration_config: {
            authorization_url: `${baseUrl}/authorize`,
            ...{ token_url: `${baseUrl}/token`, revocation_url: provider.url, base_url: baseUrl },
          },
        },
      });
      const ids = Array.from({ length: count }, () => randomUUID());
      for (const id of ids) {
        await api("POST", "/connections", {
          body: {
            ...{ provider_config_key: "crm", connection_id: id },
            credentials: { type: "OAUTH2", access_token: `a-${id}`, refresh_token: `r-${id}` },
          },
        });
      }
      return ids;
    },
    headers: (connectionId) => ({
      ...{ authorization: `Bearer ${key}`, "provider-config-key": "crm" },
      "connection-id": connectionId,
    }),
    [Symbol.asyncDispose]: async () => await running.disposeAsync(),
  };
}
