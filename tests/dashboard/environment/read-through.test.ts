import { afterAll, beforeAll, expect, test } from "vitest";
import { startRotatingServer } from "../../../packages/server/src/connections/testing/index.ts";
import {
  type FakeOldPlatform,
  startFakeOldPlatform,
} from "../../../packages/server/src/old-platforms/testing/fake-old-platform.ts";
import { refreshAt } from "../../../packages/server/src/old-platforms/testing/moving-app.ts";
import { closeBrowser } from "../../connect-ui/browser.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../../people/people-under-test.ts";
import { expectAccessible, isTooWide, openAsOwner } from "../open-dashboard.ts";

const environment = "dev";
const HOUR_MS = 3_600_000;
const connection = { provider_config_key: "crm", connection_id: "ada" };
const address = "/dev/connections/crm/ada/overview";

let people: PeopleUnderTest;
let owner: Browser;
let provider: Awaited<ReturnType<typeof startRotatingServer>>;
let old: FakeOldPlatform;
let platformId = "";

beforeAll(async () => {
  people = await startPeople();
  owner = await people.owner();
  provider = await startRotatingServer({ expiresIn: 3600 });
  old = await startFakeOldPlatform({
    now: () => new Date(),
    refresh: async (row) => await refreshAt(provider.tokenUrl, row, new Date()),
  });
  await call("POST", "/integrations", {
    ...{ provider: "oauth2-generic", unique_key: "crm" },
    credentials: { type: "OAUTH2", client_id: "client", client_secret: "client secret" },
    integration_config: {
      authorization_url: "http://127.0.0.1:9/authorize",
      token_url: provider.tokenUrl,
      base_url: "http://127.0.0.1:9",
    },
  });
  const tokens = { accessToken: "access-0", refreshToken: "refresh-0" };
  const expiresAt = new Date(Date.now() + HOUR_MS);
  old.add({ key: "crm", id: "ada", ...tokens, expiresAt });
  const { url, key } = old;
  const added = await call("POST", "/old-platforms", { name: "nango", url, secret_key: key });
  platformId = added.data.id;
  await call("POST", `/old-platforms/${platformId}/connections`, connection);
});
afterAll(async () => {
  await closeBrowser();
  await people[Symbol.asyncDispose]();
  await old[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

async function call(method: string, path: string, body: object) {
  const answer = await owner.call(method, path, { environment, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

test("a connection whose tokens the old platform refreshes says so until it is handed over", async (context) => {
  await using visit = await openAsOwner(context, people, address);
  const { page } = visit;

  await page.getByText("The old platform “nango” refreshes the tokens").waitFor();
  await page.getByText(old.url, { exact: true }).waitFor();
  await page.getByText("jackfield migrate hand-over").waitFor();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 780 });
  const tooWide = await isTooWide(page);
  const moved = await call("POST", `/old-platforms/${platformId}/hand-over`, {
    connections: [connection],
  });
  await page.reload();
  await page.getByRole("heading", { level: 1, name: /crm/ }).waitFor();
  await page.getByText("Webhooks in").first().waitFor({ state: "attached" });

  expect(tooWide).toBe(false);
  expect(moved.data).toMatchObject([{ state: "handed_over", refusal: null }]);
  expect(await page.getByText("refreshes the tokens").count()).toBe(0);
});
