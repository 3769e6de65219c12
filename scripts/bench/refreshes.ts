import { randomUUID } from "node:crypto";
import {
  approveAuthorization,
  type SimulatedProvider,
  startSimulatedProvider,
} from "@jackfield/simulator";
import { Pool } from "undici";
import {
  exchangeCode,
  newAuthorizationRequest,
  redirectUri,
  refresh,
} from "../../packages/simulator/src/testing/code-flow.ts";
import { makeDataFolder } from "../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../tests/launcher/platform-process.ts";
import { type BenchRow, median } from "./meters/row.ts";

const CONNECTIONS = 8;
const ROUND_MS = 2000;
const ROUNDS = 3;

/** Forced refreshes per second, each of another connection, against the bare grants at the same server. */
export async function benchRefreshes(): Promise<BenchRow[]> {
  await using folder = await makeDataFolder();
  await using provider = await startSimulatedProvider({
    redirectUris: [redirectUri],
    contacts: 1,
    consent: "automatic",
  });
  const key = randomUUID();
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_BOOTSTRAP_KEY: key },
  });
  const pool = new Pool(platform.url, { connections: CONNECTIONS });
  try {
    const call = caller(pool, key);
    await call("POST", "/integrations", integrationOf(provider));
    const bareTokens: (string | undefined)[] = [];
    for (let index = 0; index < CONNECTIONS; index += 1) {
      const { access_token, refresh_token } = await authorize(provider);
      await call("POST", "/connections", {
        provider_config_key: "bench",
        connection_id: `bench-${index}`,
        credentials: { type: "OAUTH2", access_token, refresh_token },
      });
      bareTokens.push((await authorize(provider)).refresh_token);
    }
    const ours: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const bareRate = await load(async (index) => {
        const answer = await refresh(provider, bareTokens[index]);
        if (answer.status !== 200) throw new Error(`a bare grant answered ${answer.status}`);
        bareTokens[index] = answer.refresh_token;
      });
      const rate = await load(async (index) => {
        await call(
          "GET",
          `/connections/bench-${index}?provider_config_key=bench&force_refresh=true`,
        );
      });
      // The first round warms up.
      if (round === 0) continue;
      bare.push(bareRate);
      ours.push(rate);
    }
    const baseline = { name: "bare refresh grants at the same server", value: median(bare) };
    const note = `${CONNECTIONS} connections at once, each answer on disk before the database`;
    return [{ name: "token refreshes", value: median(ours), unit: "refreshes/s", baseline, note }];
  } finally {
    await pool.close();
    await platform.stop();
  }
}

export function integrationOf(provider: SimulatedProvider): object {
  const { clientId, clientSecret, authorizationUrl, tokenUrl } = provider.oauth;
  return {
    provider: "oauth2-generic",
    unique_key: "bench",
    credentials: { type: "OAUTH2", client_id: clientId, client_secret: clientSecret },
    integration_config: {
      authorization_url: authorizationUrl,
      token_url: tokenUrl,
      base_url: provider.origin,
    },
  };
}

export async function authorize(provider: SimulatedProvider) {
  const request = newAuthorizationRequest(provider);
  const callback = await approveAuthorization(request.url);
  return await exchangeCode(provider, callback, request.codeVerifier);
}

/** Rounds per second of all connections together, each after its own last one. */
async function load(once: (index: number) => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  let done = 0;
  const loop = async (index: number): Promise<void> => {
    while (performance.now() < startedAt + ROUND_MS) {
      await once(index);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => loop(index)));
  return (1000 * done) / (performance.now() - startedAt);
}

function caller(pool: Pool, key: string) {
  return async (method: "GET" | "POST", path: string, body?: object): Promise<void> => {
    const answer = await pool.request({
      method,
      path,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path}: ${text}`);
  };
}
