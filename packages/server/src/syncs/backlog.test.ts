import { expect, test } from "vitest";
import { SECOND } from "#foundation";
import { claimDueSyncs, readScheduleBacklog } from "#syncs";
import { app, ctx, deploy, pause, useSyncs } from "./testing/syncs-under-test.ts";

useSyncs();

test("schedules are as late as the sync that waits longest; paused and claimed ones do not wait", async () => {
  const read = async () => await readScheduleBacklog(ctx.db, app.clock.now());
  const before = await read();
  await deploy("");
  app.clock.advance(90 * SECOND);

  const [late] = await read();
  await pause();
  const [paused] = await read();
  await deploy("", { syncName: "others" });
  await claimDueSyncs(ctx);
  const [claimed] = await read();

  const nothing = { kind: "schedule", depth: 0, oldestSeconds: 0 };
  expect(before).toEqual([nothing]);
  expect([late?.depth, Math.round(late?.oldestSeconds ?? 0)]).toEqual([1, 90]);
  expect([paused, claimed]).toEqual([nothing, nothing]);
});
