import { randomUUID } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { makeDataFolder, type PlatformProcess, startPlatformProcess } from "@jackfield/simulator";

/** Key of the environment `dev` in every platform that is started here. */
export const key = randomUUID();

/** A provider on loopback; resolves to its origin. */
export async function startUpstream(
  stack: AsyncDisposableStack,
  answer: RequestListener,
  connected: () => void = () => {},
): Promise<string> {
  const upstream = createServer(answer).on("connection", connected);
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  stack.defer(() => {
    upstream.closeAllConnections();
    upstream.close();
  });
  const address = upstream.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

/** A server with a data folder of its own. */
export async function startPlatform(
  stack: AsyncDisposableStack,
  env: Readonly<Record<string, string>>,
): Promise<PlatformProcess> {
  const folder = stack.use(await makeDataFolder());
  const platform = await startPlatformProcess({
    dataDir: folder.path,
    env: { SVC_BOOTSTRAP_KEY: key, ...env },
  });
  stack.defer(async () => void (await platform.stop()));
  return platform;
}

/** A request of the key that must succeed. */
export async function send(
  { url }: Pick<PlatformProcess, "url">,
  method: string,
  path: string,
  body?: object,
): Promise<void> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
}

/** The integration `api` of a provider at this address. */
export async function addIntegration(platform: PlatformProcess, baseUrl: string): Promise<void> {
  await send(platform, "POST", "/integrations", {
    provider: "private-api-bearer",
    unique_key: "api",
    integration_config: { base_url: baseUrl },
  });
}

/** A connection of it; answers its id. */
export async function addConnection(platform: PlatformProcess, id: string = randomUUID()) {
  await send(platform, "POST", "/connections", {
    provider_config_key: "api",
    connection_id: id,
    credentials: { type: "API_KEY", apiKey: "secret" },
  });
  return id;
}

/** Headers of a call over a connection. */
export function callHeaders(connectionId: string): Record<string, string> {
  return {
    authorization: `Bearer ${key}`,
    "provider-config-key": "api",
    "connection-id": connectionId,
  };
}
