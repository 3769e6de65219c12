import { createServer } from "node:net";
import { afterAll, expect, test } from "vitest";
import { closeBrowser, startVisit } from "../../connect-ui/browser.ts";
import { makeDataFolder } from "../../launcher/data-folder.ts";
import { startPlatformProcess } from "../../launcher/platform-process.ts";
import { Browser, OWNER, startPeople } from "../../people/people-under-test.ts";
import { signIn } from "../open-dashboard.ts";

afterAll(async () => await closeBrowser());

/** One that nothing listens on at this moment. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const port = Number(Object(server.address()).port);
  await new Promise((closed) => server.close(closed));
  return port;
}

test("people come to a port of their own, and the port of programs takes none of them", async (context) => {
  const port = await findFreePort();
  await using people = await startPeople({ SVC_DASHBOARD_PORT: String(port) });
  const own = new Browser(`http://localhost:${port}`);
  const { setupToken: token, keys } = people;
  const withKey = { headers: { authorization: `Bearer ${keys.dev}` } };

  const early = await people.browser().call("POST", "/auth/setup", { body: { token, ...OWNER } });
  const claimed = await own.call("POST", "/auth/setup", { body: { token, ...OWNER } });
  const atPrograms = people.browser();
  for (const [name, value] of own.cookies) atPrograms.cookies.set(name, value);
  atPrograms.csrf = own.csrf;
  const refused = await Promise.all(
    ["/dashboard/", "/me", "/auth/state", "/environments", "/connections"].map(
      async (path) => (await atPrograms.call("GET", path, { environment: "dev" })).status,
    ),
  );
  const served = await Promise.all(
    ["/dashboard/", "/me", "/auth/state", "/environments", "/connections"].map(
      async (path) => (await own.call("GET", path, { environment: "dev" })).status,
    ),
  );

  expect([early.status, claimed.status]).toEqual([404, 200]);
  expect(early.body.error.message).toContain("a port of their own");
  expect(refused).toEqual([404, 404, 404, 401, 401]);
  expect(served).toEqual([200, 200, 200, 200, 200]);
  for (const { url } of [people, own]) {
    expect((await fetch(`${url}/connections`, withKey)).status).toBe(200);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  }

  await using visit = await startVisit(context);
  await visit.page.goto(`http://127.0.0.1:${port}/dashboard/`);
  await signIn(visit.page);
  await visit.page.getByRole("heading", { name: "Home" }).waitFor();
  expect(visit.page.url()).toMatch(`http://localhost:${port}/dashboard/`);
});

test("processes that share the port of programs share that of people", async () => {
  const port = await findFreePort();
  await using folder = await makeDataFolder();
  const env = { SVC_DASHBOARD_PORT: String(port), SVC_API_PROCESSES: "2" };
  const platform = await startPlatformProcess({ dataDir: folder.path, env });
  try {
    const own = `http://localhost:${port}`;

    const answers = await Promise.all(
      [`${own}/dashboard/`, `${own}/auth/state`, `${platform.url}/auth/state`].map(
        async (url) => (await fetch(url)).status,
      ),
    );

    expect(answers).toEqual([200, 200, 404]);
    expect(new URL(platform.url).port).not.toBe(String(port));
    expect(platform.output).toContain(`${own}/dashboard/`);
  } finally {
    expect(await platform.stop()).toBe(0);
  }
});
