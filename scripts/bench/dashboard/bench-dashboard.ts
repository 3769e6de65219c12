import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser as Chrome, chromium } from "playwright-core";
import { startEmbeddedPostgres } from "../../../packages/server/src/foundation/embedded-postgres/index.ts";
import { makeDataFolder } from "../../../tests/launcher/data-folder.ts";
import { startPlatformProcess } from "../../../tests/launcher/platform-process.ts";
import { fillOperations } from "../lists/fill-operations.ts";
import type { BenchRow } from "../meters/row.ts";
import { startChildServer } from "../servers/child-server.ts";
import { measureBrowsers } from "./browsers-at-rest.ts";
import { measureDevLoop } from "./dev-loop.ts";
import { measureJourney } from "./first-journey.ts";
import { measureFirstPaint } from "./first-paint.ts";
import { measureJson } from "./large-json.ts";
import { measureLongList } from "./long-list.ts";
import { type OwnerSession, signInOwner } from "./owner-session.ts";
import { measureProxyWithBrowsers } from "./proxy-with-browsers.ts";
import { measureRollUp } from "./roll-up.ts";
import { measureTail } from "./tail.ts";

const OPERATIONS = 110_000;
const executables = ["/usr/bin/chromium", "/usr/bin/chromium-browser"];

const parts = {
  paint: measureFirstPaint,
  list: measureLongList,
  json: measureJson,
  tail: measureTail,
  rest: measureBrowsers,
  proxy: measureProxyWithBrowsers,
  metrics: measureRollUp,
  journey: measureJourney,
  dev: measureDevLoop,
};

type PartName = keyof typeof parts;
const partNames: readonly PartName[] = [
  "paint",
  "list",
  "json",
  "tail",
  "rest",
  "proxy",
  "metrics",
  "journey",
  "dev",
];

/**
 * How the dashboard behaves in a Chromium on this machine, on a server of its own. `wanted`: names of parts; all of them
 * if there are none.
 */
export async function benchDashboard(wanted: readonly string[] = []): Promise<BenchRow[]> {
  const named = wanted.length === 0 ? partNames : partNames.filter((name) => wanted.includes(name));
  const executablePath = executables.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error("this row needs a chromium");
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeDataFolder());
  const postgres = stack.use(await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} }));
  const dataDir = join(folder.path, "server");
  const server = await startPlatformProcess({
    dataDir,
    env: { SVC_DATABASE_URL: postgres.connectionString },
  });
  stack.defer(async () => void (await server.stop()));
  const database = { url: postgres.connectionString, processId: postgres.processId };
  const upstream = stack.use(await startChildServer("bare-upstream.ts", []));
  const owner = await signInOwner(server.url, dataDir);
  const headers = await connect(owner, server.keys.get("dev") ?? "", upstream.url);
  await fillOperations(postgres.connectionString, OPERATIONS);
  const rows: BenchRow[] = [];
  for (const name of named) {
    // Each part has a browser of its own: what another has left behind in one is not what it measures.
    const chrome = await launchChrome(executablePath);
    try {
      rows.push(...(await parts[name]({ chrome, owner, server, headers, database, dataDir })));
    } finally {
      await chrome.close();
    }
  }
  return rows;
}

async function launchChrome(executablePath: string): Promise<Chrome> {
  const isRoot = process.getuid?.() === 0;
  return await chromium.launch({
    executablePath,
    args: isRoot ? ["--no-sandbox"] : [],
    chromiumSandbox: !isRoot,
  });
}

/** A connection whose calls lead to the upstream; gives the headers of such a call. */
async function connect(
  owner: OwnerSession,
  key: string,
  upstreamUrl: string,
): Promise<Readonly<Record<string, string>>> {
  const integration = {
    provider: "private-api-bearer",
    unique_key: "bench",
    integration_config: { base_url: upstreamUrl },
  };
  const connection = {
    provider_config_key: "bench",
    connection_id: "c-0",
    credentials: { type: "API_KEY", apiKey: "bench" },
  };
  await owner.post("/integrations", integration);
  await owner.post("/connections", connection);
  return {
    authorization: `Bearer ${key}`,
    "connection-id": "c-0",
    "provider-config-key": "bench",
  };
}
