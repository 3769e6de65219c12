import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { findFreePort } from "../start-program.ts";
import { apiOf } from "./api.ts";

const root = resolve(import.meta.dirname, "../..");
// biome-ignore lint/style/noProcessEnv: npm is found as the test's own programs are
const { PATH, HOME } = process.env;
const cli = join(root, "packages/cli/bin/jackfield.js");

test("the address in a browser is a page without scripts: its state, and where to read on", async () => {
  await using folder = await makeDataFolder();
  await using platform = await startPlatform(folder.path);

  const page = await fetch(`${platform.url}/`);
  const html = await page.text();
  const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, to = ""]) => to);

  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; style-src 'sha256-/,
  );
  expect(html).toContain("Ready");
  expect(html).toContain(`${platform.url}/integrations`);
  expect(links).toContain("docs/api");
  expect(links.filter((to) => to.startsWith("/") || to.includes("//"))).toEqual([]);
  expect(platform.output).toContain(`${platform.url}/docs/api`);
});

test("a taken port stops the start before keys are made, and names the setting", async () => {
  await using folder = await makeDataFolder();
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
  const address = other.address();
  const port = typeof address === "object" ? String(address?.port) : "";

  const env = { SVC_PORT: port };
  const failure = await startPlatformProcess({ dataDir: folder.path, env }).catch((error) => error);
  const made = existsSync(join(folder.path, "encryption.key"));
  await new Promise((done) => other.close(done));

  expect(failure.exitCode).toBe(1);
  expect(failure.output.trim().split("\n")).toHaveLength(1);
  expect(failure.output).toMatch(new RegExp(`Port ${port} of 127.0.0.1 is in use.*SVC_PORT`));
  expect(made).toBe(false);
});

test("a key is made while the platform runs on its embedded database, and opens it at once", async () => {
  await using folder = await makeDataFolder();
  await using platform = await startPlatform(folder.path);

  const args = ["--conditions=jackfield-source", cli, "keys", "create", "--environment", "dev"];
  const env = { PATH, SVC_DATA_DIR: folder.path };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const answer = await apiOf(platform.url, stdout.trim())("GET", "/integrations");

  expect(answer.status).toBe(200);
});

test("SIGTERM to npm stops the server, and npm waits for it", async () => {
  await using folder = await makeDataFolder();
  const port = await findFreePort();
  const child = spawn("npm", ["start"], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH,
      HOME,
      SVC_DATA_DIR: folder.path,
      SVC_PORT: String(port),
      SVC_DRAIN_SECONDS: "0",
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<number | null>((done) => child.once("exit", done));
  await expect.poll(() => output, { timeout: 60_000 }).toContain("docs/quick-start");

  child.kill("SIGTERM");
  const code = await ended;
  const answers = await fetch(`http://127.0.0.1:${port}/health`).then(
    () => true,
    () => false,
  );
  const database = await readFile(join(folder.path, "postgres", "postmaster.pid")).catch(() => "");

  expect(code).toBe(0);
  expect(answers).toBe(false);
  expect(String(database)).toBe("");
});

test("the request log has route, status, duration and the key's name of each request, and no secret", async () => {
  await using folder = await makeDataFolder();
  const env = { SVC_LOG_REQUESTS: "true", SVC_LOG_LEVEL: "info" };
  await using platform = await startPlatform(folder.path, env);
  const key = platform.keys.get("dev") ?? "";

  await apiOf(platform.url, key)("GET", "/connections/s3cret-in-the-address?provider_config_key=x");
  await apiOf(platform.url, "svc_key_wrong")("GET", "/connections");
  await fetch(`${platform.url}/no-such-place`);
  await expect.poll(() => requestLines(platform.output)).toHaveLength(3);
  const lines = requestLines(platform.output);

  expect(lines).toMatchObject([
    {
      method: "GET",
      route: "GET /connections/{connectionId}",
      status: 400,
      environment: "dev",
      keyName: "default",
    },
    { route: "GET /connections", status: 401 },
    { route: "unknown route", status: 404 },
  ]);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(3);
  for (const { durationMs } of lines) expect(durationMs).toBeGreaterThan(0);
  expect(JSON.stringify(lines)).not.toContain("s3cret");
  expect(JSON.stringify(lines)).not.toContain(key);
});

test("without SVC_LOG_REQUESTS no request leaves a line", async () => {
  await using folder = await makeDataFolder();
  await using platform = await startPlatform(folder.path, { SVC_LOG_LEVEL: "debug" });

  await apiOf(platform.url, platform.keys.get("dev") ?? "")("GET", "/integrations");
  await platform.stop();

  expect(requestLines(platform.output)).toEqual([]);
});

async function startPlatform(dataDir: string, env: Record<string, string> = {}) {
  const platform = await startPlatformProcess({ dataDir, env });
  return Object.assign(platform, {
    async [Symbol.asyncDispose]() {
      await platform.stop();
    },
  });
}

function requestLines(output: string): Record<string, unknown>[] {
  return output
    .split("\n")
    .filter((line) => line.includes('"http.request"'))
    .map((line) => JSON.parse(line));
}
