import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Settings } from "#platform";
import { type TestApp, testApp } from "#testing";
import { dashboardFolder } from "./routes.ts";
import { dashboard } from "./slice.ts";

const script = "console.log(1);".repeat(200);
const page = `<head><meta name="jackfield-dashboard" content="/x" /><script src="./assets/a-1.js"></script></head>`;

let app: TestApp;
beforeAll(async () => {
  app = await startDashboard();
});
afterAll(async () => await app[Symbol.asyncDispose]());

async function startDashboard(settings: Partial<Settings> = {}): Promise<TestApp> {
  const folder = await mkdtemp(join(tmpdir(), "jackfield-dashboard-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), page);
  await writeFile(join(folder, "assets/a-1.js"), script);
  await writeFile(join(folder, "assets/a-1.js.br"), brotliCompressSync(script));
  await writeFile(join(folder, "assets/a-1.js.gz"), gzipSync(script));
  await writeFile(join(folder, "assets/notes.txt"), "no");
  const started = await testApp({ slices: [dashboard], settings });
  dashboardFolder.set(started.ctx, pathToFileURL(`${folder}/`));
  return started;
}

async function get(url: string, headers: Record<string, string> = {}, from = app) {
  return await from.server.inject({ url, headers: { host: "localhost:3003", ...headers } });
}

test("every address below it is the same page, which knows where it lies", async () => {
  const [first, deep] = [await get("/dashboard/"), await get("/dashboard/dev/operations/1?open=2")];

  expect(first.statusCode).toBe(200);
  expect(first.body).toBe(
    `<head><meta name="jackfield-dashboard" content="/dashboard" /><script src="/dashboard/assets/a-1.js"></script></head>`,
  );
  expect(deep.body).toBe(first.body);
  expect(first.headers["cache-control"]).toBe("no-cache");
  expect(first.headers["x-content-type-options"]).toBe("nosniff");
  expect(first.headers["cross-origin-opener-policy"]).toBe("same-origin");
  expect(first.headers["content-security-policy"]).not.toContain("unsafe");
  expect(first.headers["content-security-policy"]).toContain("require-trusted-types-for 'script'");
});

test("a browser that may have signed in is shown the frame of the screens at once", async () => {
  const page = await get("/dashboard/dev", { cookie: "other=1; jackfield=secret" });

  expect(page.body).toContain(`<meta name="jackfield-dashboard" content="/dashboard" data-session`);
  expect(page.body).not.toContain("secret");
});

test("below a path, and without the slash at its end", async () => {
  await using below = await startDashboard({
    dashboardUrl: "https://ops.example.com/jack&field/dashboard",
  });

  const shown = await get("/dashboard/", {}, below);
  const led = await get("/dashboard", {}, below);

  expect(shown.body).toContain('src="/jack&amp;field/dashboard/assets/a-1.js"');
  expect([led.statusCode, led.headers["location"]]).toEqual([308, "/jack&field/dashboard/"]);
});

test("an address of loopback by number leads to the one by name", async () => {
  const { statusCode, headers } = await get("/dashboard/dev/operations?q=1", {
    host: "127.0.0.1:3003",
  });

  expect([statusCode, headers["location"]]).toEqual([
    307,
    "http://localhost:3003/dashboard/dev/operations?q=1",
  ]);
});

test.each([
  ["br, gzip", "br"],
  ["gzip;q=0.8, br;q=0", "gzip"],
  ["identity", undefined],
  [undefined, undefined],
])("to a client that takes %s a file is sent as %s", async (accepted, encoding) => {
  const header = accepted === undefined ? {} : { "accept-encoding": accepted };

  const { statusCode, headers } = await get("/dashboard/assets/a-1.js", header);

  expect(statusCode).toBe(200);
  expect(headers["content-encoding"]).toBe(encoding);
  expect(headers["content-type"]).toBe("text/javascript; charset=utf-8");
  expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(headers["vary"]).toContain("accept-encoding");
  expect(headers["content-security-policy"]).toBe("default-src 'none'; connect-src 'self'");
});

test.each([
  "/dashboard/assets/b-2.js",
  "/dashboard/assets/notes.txt",
  "/dashboard/assets/../index.html",
  "/dashboard/assets/%2e%2e/index.html",
  "/dashboard/assets/a-1.js.br",
])("%s is no file of it", async (url) => {
  const { statusCode, body } = await get(url);

  expect(statusCode === 404 || body === (await get("/dashboard/")).body).toBe(true);
});

test("switched off, there is none", async () => {
  await using off = await startDashboard({ dashboard: false });

  const { statusCode, body } = await get("/dashboard/", {}, off);

  expect(statusCode).toBe(404);
  expect(body).toContain("SVC_DASHBOARD");
});

test("what was not built says how to build it", async () => {
  await using empty = await testApp({ slices: [dashboard] });
  dashboardFolder.set(empty.ctx, pathToFileURL(`${tmpdir()}/no-such-folder/`));

  const { statusCode, body } = await get("/dashboard/", {}, empty);

  expect(statusCode).toBe(503);
  expect(body).toContain("npm ci");
});
