import { randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import { makeDataFolder } from "../../../tests/launcher/data-folder.ts";
import {
  type PlatformProcess,
  startPlatformProcess,
} from "../../../tests/launcher/platform-process.ts";
import { startBareNginx } from "../servers/bare-nginx.ts";
import { startChildServer } from "../servers/child-server.ts";

/** What calls go to in a bench of the proxy: all lead to one upstream. */
export interface ProxyTarget {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly processId: number;
  /** Where its work is done by processes below it. */
  readonly hasWorkers?: boolean;
}

export interface ProxySetup extends AsyncDisposable {
  readonly upstream: ProxyTarget;
  readonly bare: ProxyTarget;
  readonly nginx: ProxyTarget | undefined;
  /** The server, logging every call. */
  readonly ours: ProxyTarget;
  /** The server, logging one success in a hundred. */
  readonly sampled: ProxyTarget;
  /** The server as several processes, each with a core of its own next to those of load and upstream. */
  readonly shared: ProxyTarget | undefined;
}

const MAX_PROCESSES = 4;

export async function setUpProxy(): Promise<ProxySetup> {
  await using stack = new AsyncDisposableStack();
  const upstream = stack.use(await startChildServer("bare-upstream.ts", []));
  const bare = stack.use(await startChildServer("bare-passthrough.ts", [upstream.url]));
  const nginx = await startBareNginx(upstream.url);
  if (nginx !== undefined) stack.use(nginx);
  const ours = await startOurs(stack, upstream.url, {});
  const sampled = await startOurs(stack, upstream.url, { SVC_LOG_PROXY_SAMPLE: "0.01" });
  const processes = Math.min(MAX_PROCESSES, availableParallelism() - 2);
  const shared =
    processes < 2
      ? undefined
      : await startOurs(stack, upstream.url, { SVC_API_PROCESSES: String(processes) });
  const started = stack.move();
  const plain = {};
  return {
    upstream: { name: "the upstream directly", headers: plain, ...upstream },
    bare: { name: "a bare node:http + undici pass-through", headers: plain, ...bare },
    nginx:
      nginx === undefined
        ? undefined
        : {
            name: "nginx",
            headers: plain,
            hasWorkers: true,
            url: `http://127.0.0.1:${nginx.port}`,
            processId: nginx.processId,
          },
    ours: { name: "ours, every call logged", ...ours },
    sampled: { name: "ours, successes sampled", ...sampled },
    shared:
      shared === undefined
        ? undefined
        : { name: `ours, ${processes} processes`, hasWorkers: true, ...shared },
    [Symbol.asyncDispose]: async () => await started.disposeAsync(),
  };
}

/** A server that leads to the upstream, with the headers of a call. */
export async function startOurs(
  stack: AsyncDisposableStack,
  upstream: string,
  settings: Readonly<Record<string, string>>,
): Promise<Omit<ProxyTarget, "name">> {
  const folder = stack.use(await makeDataFolder());
  const key = randomUUID();
  const env = { SVC_BOOTSTRAP_KEY: key, ...settings };
  const platform = await startPlatformProcess({ dataDir: folder.path, env });
  stack.defer(async () => void (await platform.stop()));
  await connectUpstream(platform, key, upstream);
  const headers = {
    authorization: `Bearer ${key}`,
    "provider-config-key": "bench",
    "connection-id": "bench",
  };
  return { url: `${platform.url}/proxy`, headers, processId: platform.processId };
}

async function connectUpstream(
  platform: PlatformProcess,
  key: string,
  upstream: string,
): Promise<void> {
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${platform.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  };
  await post("/integrations", {
    provider: "private-api-bearer",
    unique_key: "bench",
    integration_config: { base_url: upstream },
  });
  await post("/connections", {
    provider_config_key: "bench",
    connection_id: "bench",
    credentials: { type: "API_KEY", apiKey: "bench" },
  });
}
