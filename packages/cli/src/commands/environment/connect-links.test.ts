import { afterAll, beforeAll, expect, test } from "vitest";
import { startOnClone } from "../../../../../tests/launcher/start-on-clone.ts";
import type { TestPlatform } from "../../test.ts";
import { runJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../../testing/test-folder.ts";

let folder: TestFolder;
let platform: TestPlatform;

beforeAll(async () => {
  [folder, platform] = await Promise.all([createTestFolder(), startOnClone()]);
  await call("POST", "/integrations", { provider: "unauthenticated", unique_key: "open" });
  await call("POST", "/connections", {
    ...{ provider_config_key: "open", connection_id: "ada" },
    ...{ credentials: { type: "NONE" }, tags: { end_user_id: "u1", team: "a&b=c" } },
  });
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function call(method: string, path: string, body: object): Promise<void> {
  const { status } = await fetch(`${platform.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${platform.keys.dev}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  expect(status).toBeLessThan(300);
}

const jackfield = async (...args: string[]) =>
  await runJackfield({
    ...{ cwd: folder.path, args },
    env: { SVC_SECRET_KEY_DEV: platform.keys.dev, SVC_HOSTPORT: platform.url },
  });

test("a link is created, listed and revoked", async () => {
  const made = await jackfield(
    "links",
    "create",
    "--end-user",
    "u1",
    "--note",
    "for Ada",
    "--json",
  );
  const { link, url } = JSON.parse(made.stdout).data;
  const open = await jackfield("links", "--state", "open");
  const revoked = await jackfield("links", "revoke", link.id);
  const listed = await jackfield("links");

  expect(url).toMatch(/\/connect\/l\/#/);
  expect(open.stdout).toMatch(/u1 +new connections +0 of 1/);
  expect(revoked.stdout).toContain("The link is revoked.");
  expect(listed.stdout).toContain("revoked");
});

test("connections that work get no reconnect link, and the command says so", async () => {
  const answer = await jackfield("links", "reconnect", "-i", "open", "--connection", "ada");

  expect(answer.stderr).toContain("ada works, and needs no link");
  expect(answer.stderr).toContain("0 links created");
});

test.each([
  [["links", "reconnect", "--connection", "ada"], "needs --integration"],
  [["links", "create", "--end-user", "u1", "--expires-in", "soon"], '"soon" is not a number'],
  [["connections", "--expiring-within", "soon"], '"soon" is none'],
  [["connections", "--unused-for", "1y"], '"1y" is none'],
  [["connections", "--tag", "blue"], "write it as name=value"],
])("%j is refused", async (args, message) => {
  const { code, stderr } = await jackfield(...args);

  expect(code).toBeGreaterThan(0);
  expect(stderr).toContain(message);
});

test("connections are listed by how long nobody has used them", async () => {
  const recent = await jackfield("connections", "--unused-for", "30");
  const expiring = await jackfield("connections", "--expiring-within", "30");
  const hours = await jackfield("connections", "--unused-for", "24h");
  const all = await jackfield("connections");

  expect(recent.stdout).toContain("There is no such connection.");
  expect(expiring.stdout).toContain("There is no such connection.");
  expect(hours.stdout).toContain("There is no such connection.");
  expect(all.stdout).toContain("ada");
});

test("connections are listed by all of the tags that are named", async () => {
  const both = await jackfield("connections", "--tag", "End_User_Id=u1", "--tag", "team=a&b=c");
  const one = await jackfield("connections", "--tag", "end_user_id=u1", "--tag", "team=red");

  expect(both.stdout).toContain("ada");
  expect(one.stdout).toContain("There is no such connection.");
});

test("how far end users came is shown by integration, without sessions and with one", async () => {
  const none = await jackfield(
    "integrations",
    "funnel",
    "--to",
    "2020-01-01",
    "--from",
    "2020-01-01",
  );
  await call("POST", "/connect/sessions", { allowed_integrations: ["open"] });

  const table = async () => (await jackfield("integrations", "funnel", "-i", "open")).stdout;

  expect(none.stdout).toContain("No connect session was created on these days.");
  await expect.poll(table, { timeout: 20_000 }).toMatch(/^open +1 +0 +0 +0 +0 +0 +0 +none$/m);
});

test("it is shown when webhooks last came for each integration", async () => {
  const table = await jackfield("webhooks", "integrations");
  const json = await jackfield("webhooks", "integrations", "-i", "open", "--json");

  expect(table.stdout).toMatch(/^open +never +never +0 +never$/m);
  expect(JSON.parse(json.stdout).data).toMatchObject([{ provider_config_key: "open" }]);
});
