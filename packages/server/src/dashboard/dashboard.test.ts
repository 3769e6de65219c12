import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, brotliDecompressSync, gzipSync } from "node:zlib";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY, type Settings } from "#foundation";
import { keepPageFiles, pageFiles } from "#page-files";
import { type TestApp, testApp } from "#testing";
import { dashboardFolder } from "./asset-files.ts";
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

/** The folder of another build, which has one script and one style; the style is too small to be compressed. */
async function makeBuild(name: string): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), "jackfield-dashboard-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), page);
  await writeFile(join(folder, `assets/${name}-1.js`), `${script}${name}`);
  await writeFile(join(folder, `assets/${name}-1.js.br`), brotliCompressSync(`${script}${name}`));
  await writeFile(join(folder, "assets/both-1.css"), "p { color: red }");
  return pathToFileURL(`${folder}/`);
}

async function clean({ ctx }: TestApp): Promise<void> {
  for (const chore of pageFiles.daily) await chore(ctx);
}

/** A process of this build starts in place of the one before, which is how the app then answers. */
async function start(from: TestApp, build: URL): Promise<void> {
  dashboardFolder.set(from.ctx, build);
  await keepPageFiles(from.ctx, [build]);
}

test("files of a build are sent by processes of the builds before and after it", async () => {
  await using replaced = await startDashboard();
  const [before, after] = [await makeBuild("before"), await makeBuild("after")];

  await start(replaced, before);
  await start(replaced, after);
  const old = await get(
    "/dashboard/assets/before-1.js",
    { "accept-encoding": "gzip, br" },
    replaced,
  );
  const plain = await get("/dashboard/assets/before-1.js", {}, replaced);
  const own = await get("/dashboard/assets/after-1.js", {}, replaced);
  dashboardFolder.set(replaced.ctx, before);
  const next = await get("/dashboard/assets/after-1.js", {}, replaced);
  const none = await get("/dashboard/assets/none-1.js", {}, replaced);

  expect(old.statusCode).toBe(200);
  expect(old.headers).toMatchObject({
    "content-encoding": "br",
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
    "content-security-policy": "default-src 'none'; connect-src 'self'",
    "x-content-type-options": "nosniff",
    vary: expect.stringContaining("accept-encoding"),
  });
  expect(brotliDecompressSync(old.rawPayload).toString()).toBe(`${script}before`);
  expect([plain.headers["content-encoding"], plain.body]).toEqual([undefined, `${script}before`]);
  expect([own.body, next.body]).toEqual([`${script}after`, `${script}after`]);
  expect(none.statusCode).toBe(404);
});

test("files of a build are kept for a week after the next one has started, and no longer", async () => {
  await using replaced = await startDashboard();
  const [before, after] = [await makeBuild("before"), await makeBuild("after")];
  const statusOf = async (name: string) =>
    (await get(`/dashboard/assets/${name}`, {}, replaced)).statusCode;
  await start(replaced, before);

  replaced.clock.advance(30 * DAY);
  await clean(replaced);
  await start(replaced, after);
  replaced.clock.advance(4 * DAY);
  // Another process of the same build starts: the time is not set again.
  await start(replaced, after);
  replaced.clock.advance(2 * DAY);
  await clean(replaced);
  const withinWeek = await statusOf("before-1.js");
  replaced.clock.advance(2 * DAY);
  await clean(replaced);
  const later = await statusOf("before-1.js");
  dashboardFolder.set(replaced.ctx, before);

  expect([withinWeek, later]).toEqual([200, 404]);
  expect([await statusOf("after-1.js"), await statusOf("both-1.css")]).toEqual([200, 200]);
});

test("a build that is put back is kept again, and its successor for a week", async () => {
  await using replaced = await startDashboard();
  const [before, after] = [await makeBuild("before"), await makeBuild("after")];
  const statusOf = async (name: string) =>
    (await get(`/dashboard/assets/${name}`, {}, replaced)).statusCode;

  for (const build of [before, after, before]) await start(replaced, build);
  replaced.clock.advance(8 * DAY);
  await clean(replaced);
  dashboardFolder.set(replaced.ctx, after);

  expect(await statusOf("before-1.js")).toBe(200);
  dashboardFolder.set(replaced.ctx, before);
  expect(await statusOf("after-1.js")).toBe(404);
});

test("a file that somebody has written into the database is not sent", async () => {
  await using replaced = await startDashboard();
  await start(replaced, await makeBuild("before"));
  await start(replaced, await makeBuild("after"));
  const foreign = brotliCompressSync("alert(1)");

  await sql`update dashboard_files set content = ${foreign} where name = 'before-1.js'`.execute(
    replaced.ctx.db,
  );
  await sql`
    insert into dashboard_files (name, content, mac)
    select 'copied-1.js', content, mac from dashboard_files where name = 'after-1.js'`.execute(
    replaced.ctx.db,
  );
  const changed = await get("/dashboard/assets/before-1.js", {}, replaced);
  const copied = await get("/dashboard/assets/copied-1.js", {}, replaced);

  expect([changed.statusCode, copied.statusCode]).toEqual([404, 404]);
});

test("a server starts while the files cannot be kept", async () => {
  await using replaced = await startDashboard();
  dashboardFolder.set(replaced.ctx, await makeBuild("before"));
  await sql`alter table dashboard_files rename to elsewhere`.execute(replaced.ctx.db);

  await keepPageFiles(replaced.ctx, [dashboardFolder.of(replaced.ctx)]);

  expect((await get("/dashboard/assets/before-1.js", {}, replaced)).statusCode).toBe(200);
});
