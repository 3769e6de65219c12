import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { commandLineArgs } from "../launcher/command-line-bundle.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { type PlatformProcess, startPlatformProcess } from "../launcher/platform-process.ts";
import { type Api, apiOf } from "./api.ts";

// Promise J9: with an Idempotency-Key an action's effects happen at most once, also when the server is killed
// while it runs; what has happened then is reported, not repeated.

const action = `
import { createAction } from "jackfield";
import * as z from "zod";

export default createAction({
  description: "Creates something, and may wait before and after",
  input: z.object({ name: z.string() }),
  output: z.object({ made: z.string() }),
  exec: async (svc, { name }) => {
    await svc.get({ endpoint: "/wait-before", params: { name } });
    await svc.post({ endpoint: "/things", data: { name } });
    await svc.get({ endpoint: "/wait-after", params: { name } });
    return { made: name };
  },
});
`;

/** Counts what is made, and holds back answers until a test lets them go. */
async function startShop() {
  const made = new Map<string, number>();
  const asked: string[] = [];
  let isHolding = true;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://shop");
    if (request.method === "POST") {
      let text = "";
      request.on("data", (chunk) => {
        text += String(chunk);
      });
      request.on("end", () => {
        const { name } = JSON.parse(text);
        made.set(name, (made.get(name) ?? 0) + 1);
        response.end("{}");
      });
      return;
    }
    const held = `${url.pathname.slice(6)} ${url.searchParams.get("name")}`;
    asked.push(held);
    if (!isHolding || !/^(before early|after late)$/.test(held)) response.end("{}");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    made,
    asked,
    release: () => {
      isHolding = false;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

async function deploy(platform: PlatformProcess, key: string, folder: string): Promise<void> {
  const project = join(folder, "functions");
  const run = async (args: string[], cwd: string) =>
    await promisify(execFile)(process.execPath, [...commandLineArgs(), ...args], {
      cwd,
      env: { SVC_HOSTPORT: platform.url, SVC_SECRET_KEY_DEV: key },
    });
  await run(["init", project], folder);
  await mkdir(join(project, "shop", "actions"), { recursive: true });
  await writeFile(join(project, "shop/actions/make.ts"), action);
  await writeFile(join(project, "index.ts"), 'import "./shop/actions/make.ts";\n');
  await run(["deploy", "dev", "--auto-confirm"], project);
}

test("an action that is killed with its server runs again only if it has changed nothing", async () => {
  await using database = await createServerDatabase();
  await using folder = await makeDataFolder();
  await using shop = await startShop();
  const key = randomUUID();
  const options = {
    dataDir: folder.path,
    env: { SVC_DATABASE_URL: database.connectionString, SVC_BOOTSTRAP_KEY: key },
  };
  const first = await startPlatformProcess(options);
  const api = apiOf(first.url, key);
  await api("POST", "/integrations", {
    body: {
      provider: "private-api-bearer",
      unique_key: "shop",
      integration_config: { base_url: shop.url },
    },
  });
  await api("POST", "/connections", {
    body: {
      provider_config_key: "shop",
      connection_id: "c",
      credentials: { type: "API_KEY", apiKey: "k" },
    },
  });
  await deploy(first, key, folder.path);
  const make = async (through: Api, name: string) =>
    await through("POST", "/action/trigger", {
      headers: {
        "provider-config-key": "shop",
        "connection-id": "c",
        "idempotency-key": `make-${name}`,
      },
      body: { action_name: "make", input: { name } },
    });

  const done = await make(api, "whole");
  const cut = Promise.allSettled([make(api, "early"), make(api, "late")]);
  await expect
    .poll(() => shop.asked, { timeout: 30_000 })
    .toEqual(expect.arrayContaining(["before early", "after late"]));
  await first.kill();
  await cut;
  shop.release();
  const second = await startPlatformProcess(options);
  const afterwards = apiOf(second.url, key);
  const meanwhile = await make(afterwards, "late");
  // As long as the process that died could still be at work, nobody takes its place.
  await database.pool.query("update kept_answers set turn_until = now() where answer is null");
  const again = await make(afterwards, "whole");
  const early = await make(afterwards, "early");
  const late = [await make(afterwards, "late"), await make(afterwards, "late")];
  await second.stop();

  expect([done.status, again.status, early.status]).toEqual([200, 200, 200]);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect([meanwhile.status, meanwhile.body.error.code]).toEqual([409, "idempotency_in_progress"]);
  for (const { status, body } of late) {
    expect([status, body.error.code]).toEqual([500, "action_outcome_unknown"]);
  }
  expect(Object.fromEntries(shop.made)).toEqual({ whole: 1, early: 1, late: 1 });
}, 120_000);
