import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createServerDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { startPlatformProcess } from "../launcher/platform-process.ts";
import { Browser, type BrowserCall } from "./people-under-test.ts";

// Two processes on one database, as behind a balancer: what ends a session in one ends it in the other.

const cleanUp = new AsyncDisposableStack();
let urls: readonly [string, string];
let accountKey: string;

const PASSWORD = "looms count in punched cards";

async function startProcess(dataDir: string, env: Readonly<Record<string, string>>) {
  const platform = await startPlatformProcess({ dataDir, env });
  cleanUp.defer(async () => void (await platform.stop()));
  return platform;
}

beforeAll(async () => {
  const database = cleanUp.use(await createServerDatabase());
  const env = {
    SVC_DATABASE_URL: database.connectionString,
    SVC_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    SVC_ROLES: "api",
  };
  const { path } = cleanUp.use(await makeDataFolder());
  const first = await startProcess(path, env);
  const second = await startProcess(path, env);
  urls = [first.url, second.url];
  accountKey = first.keys.get("account") ?? "";
});
afterAll(async () => await cleanUp.disposeAsync());

/** At the first process, by a backend of the account. */
async function byKey(method: string, path: string, body?: BrowserCall["body"]) {
  const headers = { authorization: `Bearer ${accountKey}`, "sec-fetch-site": undefined };
  return await new Browser(urls[0]).call(method, path, { headers, body });
}

/** Somebody who has signed in at the first process, and whom the second one knows already. */
async function signUp() {
  const email = `${randomBytes(6).toString("hex")}@example.com`;
  const grants = [{ role: "admin", environments: "all" }];
  const added = await byKey("POST", "/users", { email, name: "Grace", grants });
  const token = String(added.body.data.link.url).split("#")[1];
  const here = new Browser(urls[0]);
  await here.call("POST", "/auth/links/redeem", { body: { token, password: PASSWORD } });
  const there = new Browser(urls[1]);
  for (const [name, value] of here.cookies) there.cookies.set(name, value);
  there.csrf = here.csrf;
  for (const browser of [here, there]) {
    for (let n = 0; n < 5; n += 1) expect(await look(browser)).toBe(200);
  }
  return { id: String(added.body.data.user.id), email, here, there };
}

async function look(browser: Browser): Promise<number> {
  return (await browser.call("GET", "/users")).status;
}

/** Status of the first call that begins a second or more after `since`, or of an earlier refusal. */
async function statusWithinASecond(browser: Browser, since: number): Promise<number> {
  for (;;) {
    const isLate = performance.now() - since >= 1000;
    const status = await look(browser);
    if (status !== 200 || isLate) return status;
    await sleep(10);
  }
}

type Person = Awaited<ReturnType<typeof signUp>>;

test.each<[string, number, (person: Person) => Promise<unknown>]>([
  ["signing out", 401, async ({ here }) => await here.call("POST", "/auth/sign-out")],
  [
    "ending all others elsewhere",
    401,
    async ({ email }) => {
      const another = new Browser(urls[0]);
      const body = { email, password: PASSWORD };
      await another.call("POST", "/auth/password", { body });
      return await another.call("DELETE", "/me/sessions");
    },
  ],
  [
    "disabling the user",
    401,
    async ({ id }) => await byKey("PATCH", `/users/${id}`, { disabled: true }),
  ],
  ["removing the user", 401, async ({ id }) => await byKey("DELETE", `/users/${id}`)],
  [
    "taking rights away",
    403,
    async ({ id }) => {
      const grants = [{ role: "support", environments: "all" }];
      return await byKey("PATCH", `/users/${id}`, { grants });
    },
  ],
])("%s counts within a second in the other process", async (_what, expected, end) => {
  const person = await signUp();

  const answer = await end(person);
  const since = performance.now();
  const there = await statusWithinASecond(person.there, since);

  expect(answer).toMatchObject({ status: expect.toBeOneOf([200, 204]) });
  expect(there).toBe(expected);
});
