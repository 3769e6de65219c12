import { afterAll, beforeAll, expect, test } from "vitest";
import { countStatements, type StatementCounts } from "../count-statements.ts";
import { type LargeEnvironment, startLargeEnvironment } from "./large-environment.ts";

const MANY = 1250;

const stack = new AsyncDisposableStack();
let statements: StatementCounts;
let large: LargeEnvironment;
beforeAll(async () => {
  // Before the server connects: its clients keep the method that they begin with.
  statements = stack.use(countStatements());
  large = stack.use(await startLargeEnvironment());
  await large.fill("crm", MANY);
});
afterAll(async () => await stack[Symbol.asyncDispose]());

test("the states of all syncs of an integration are read and written by the page", async () => {
  statements.mostRows = 0;

  const { status, text } = await large.send("GET", "/sync/status?syncs=*&provider_config_key=crm");

  expect(status).toBe(200);
  const { syncs, ...others } = JSON.parse(text);
  expect(others).toEqual({});
  expect(new Set(syncs.map(({ id }: { id: string }) => id)).size).toBe(MANY);
  expect(syncs[MANY - 1]).toMatchObject({ name: "contacts", recordCount: { Contact: 0 } });
  expect(statements.mostRows).toBeGreaterThan(100);
  expect(statements.mostRows).toBeLessThanOrEqual(500);
});

test("a page alone is answered with its length, and an unknown integration as an error", async () => {
  const query = "syncs=contacts&provider_config_key=crm&connection_id=first";

  const one = await large.send("GET", `/sync/status?${query}`);
  const none = await large.send("GET", "/sync/status?syncs=*&provider_config_key=other");

  expect(JSON.parse(one.text).syncs).toHaveLength(1);
  expect(none.status).toBe(400);
});

test("schedules of an integration are paused by the page", async () => {
  statements.mostRows = 0;
  const body = { syncs: ["contacts"], provider_config_key: "crm" };

  const paused = await large.send("POST", "/sync/pause", body);

  expect(paused.status).toBe(200);
  expect(statements.mostRows).toBeGreaterThan(100);
  expect(statements.mostRows).toBeLessThanOrEqual(500);
});
