import { expect, test } from "vitest";
import { getConnectionByUuid } from "#connections";
import { HOUR } from "#foundation";
import {
  app,
  connection,
  ctx,
  deploy,
  runDue,
  trigger,
  useSyncs,
} from "./testing/syncs-under-test.ts";

useSyncs();

const hourly = { runs: "every hour" };
const broken = `throw new Error("mine");`;

async function errors() {
  return (await getConnectionByUuid(ctx, connection.uuid)).errors;
}

test("a sync that fails shows on its connection, once, with its latest run", async () => {
  await deploy(broken, hourly);
  await runDue();
  const first = await errors();
  app.clock.advance(HOUR);
  await runDue();

  const second = await errors();
  expect(first).toEqual([{ type: "sync", log_id: expect.any(String), sync: "contacts" }]);
  expect(second).toEqual([{ ...first[0], log_id: expect.any(String) }]);
  expect(second[0]?.log_id).not.toBe(first[0]?.log_id);
});

test("a run that succeeds takes the error away", async () => {
  await deploy(broken, hourly);
  await runDue();
  await deploy(`await svc.log("fine");`, hourly);
  app.clock.advance(HOUR);
  await runDue();

  expect(await errors()).toEqual([]);
});

test("a success after a reset takes the error away as well", async () => {
  await deploy(broken, hourly);
  await runDue();
  await deploy(`await svc.log("fine");`, hourly);
  await trigger({ opts: { reset: true, emptyCache: false } });
  await runDue();

  expect(await errors()).toEqual([]);
});

test("a try that is made again shows nothing yet", async () => {
  await deploy(`await svc.uncontrolledFetch({ url: new URL("http://127.0.0.1:1/") });`, {
    runs: "every month",
  });
  await runDue();

  expect(await errors()).toEqual([]);
});

test("a sync that is removed takes its error along", async () => {
  await deploy(broken, hourly);
  await runDue();
  expect(await errors()).toHaveLength(1);
  await deploy(broken, { ...hourly, syncName: "others" });

  expect(await errors()).toEqual([]);
});
