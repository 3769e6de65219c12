import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE } from "../../../packages/server/src/foundation/index.ts";
import { type Answer, startUpstreamApp, type UpstreamApp } from "./upstream-app.ts";

let upstream: UpstreamApp;

beforeAll(async () => {
  upstream = await startUpstreamApp();
});
beforeEach(async () => {
  await upstream.enter();
});
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
});

async function addIntegration(uniqueKey: string, provider: string): Promise<void> {
  const body = { unique_key: uniqueKey, provider };
  expect(await upstream.api("POST", "/integrations", body)).toMatchObject({ status: 200 });
}

test("servers are listed in pages, and an integration that has none is on none of them", async () => {
  for (const number of [1, 2, 3, 4]) await addIntegration(`desk-${number}`, "mcp-public");
  await addIntegration("crm", "hubspot");

  const pages: Answer[] = [];
  let cursor = "";
  do {
    const page = await upstream.api("GET", `/agent/upstreams?limit=2${cursor}`);
    pages.push(page.data.map(({ integration }: Answer) => integration));
    cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
  } while (cursor !== "");
  const altered = await upstream.api("GET", "/agent/upstreams?cursor=altered");
  const tooMany = await upstream.api("GET", "/agent/upstreams?limit=101");

  expect(pages).toEqual([["desk", "desk-1"], ["desk-2", "desk-3"], ["desk-4"]]);
  expect(altered).toMatchObject({ status: 400, error: { code: "invalid_cursor" } });
  expect(tooMany).toMatchObject({ status: 400 });
});

test("one integration's server is asked for by its key", async () => {
  await addIntegration("crm", "hubspot");
  const of = async (key: string) =>
    (await upstream.api("GET", `/agent/upstreams?integration=${key}`)).data;

  expect(await of("desk")).toMatchObject([{ integration: "desk", server: null }]);
  expect([await of("crm"), await of("other")]).toEqual([[], []]);
});

test("the list says of each server what its own page says", async () => {
  await upstream.connect("ada-desk", "ada");
  await upstream.api("PUT", "/agent/upstreams/desk/allow", { allow: "all" });
  upstream.app.clock.advance(MINUTE);
  upstream.desk.behave({ rug_pull: true });
  await upstream.refresh();
  const refused = await upstream.api("GET", "/agent/upstreams/desk");
  const { definition } = refused.data.list.find(({ name }: Answer) => name === "create_ticket");
  await upstream.api("POST", "/agent/upstreams/desk/tools/create_ticket", {
    ...{ decision: "refuse", digest: definition.digest },
  });

  const { data } = await upstream.api("GET", "/agent/upstreams");
  const { list, ...own } = (await upstream.api("GET", "/agent/upstreams/desk")).data;

  expect(data).toEqual([own]);
  expect(own.tools).toMatchObject({ changed: 1, refused: 1 });
  expect(list).toHaveLength(4);

  const page = async (query: string): Promise<Answer> =>
    await upstream.api("GET", `/agent/upstreams/desk?${query}`);
  const first = await page("limit=3");
  const second = await page(`limit=3&cursor=${first.next_cursor}`);
  const found = await page("search=CREATE");
  const altered = await page("cursor=altered");

  expect([...first.data.list, ...second.data.list]).toEqual(list);
  expect([second.next_cursor, second.data.tools]).toEqual([null, own.tools]);
  expect(found.data.list.map(({ name }: Answer) => name)).toEqual(["create_ticket"]);
  expect(altered).toMatchObject({ status: 400, error: { code: "invalid_cursor" } });
});

test("ten thousand servers cost a page what fifty cost", async () => {
  const { db, environment } = upstream.ctx;
  const made = Array.from({ length: 10_000 }, (_, index) => ({
    ...{ environmentId: environment.id, uniqueKey: `many-${index}`, provider: "mcp-public" },
    ...{ forwardWebhooks: true, integrationConfig: "{}", custom: "{}", settings: "{}" },
    ...{ createdAt: upstream.app.clock.now(), updatedAt: upstream.app.clock.now() },
  }));
  const tables = db.withTables<{ integrations: Record<string, unknown> }>();
  for (let start = 0; start < made.length; start += 1000) {
    await tables
      .insertInto("integrations")
      .values(made.slice(start, start + 1000))
      .execute();
  }

  const startedAt = performance.now();
  const page = await upstream.api("GET", "/agent/upstreams");

  expect(page.data).toHaveLength(50);
  expect(page.next_cursor).toEqual(expect.any(String));
  // About 30 ms on a quiet machine; this allows for a slow and busy one.
  expect(performance.now() - startedAt).toBeLessThan(3000);
});
