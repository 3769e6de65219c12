import { expect, test } from "vitest";
import { Doorbell } from "./doorbell.ts";
import { within } from "./within.ts";

const LONG_MS = 60_000;

test("a ring ends the wait, and the next one lasts again", async () => {
  const doorbell = new Doorbell();
  const first = doorbell.wait(LONG_MS);

  doorbell.ring();
  await first;

  const second = doorbell.wait(LONG_MS);
  expect(await within(20, second)).toBe(false);
  doorbell.ring();
  await second;
});

test("a ring before the wait counts once, unless it is silenced", async () => {
  const doorbell = new Doorbell();

  doorbell.ring();
  doorbell.ring();
  await doorbell.wait(LONG_MS);
  doorbell.ring();
  doorbell.silence();
  const silenced = doorbell.wait(LONG_MS);

  expect(await within(20, silenced)).toBe(false);
  doorbell.ring();
  await silenced;
});

test("without a ring the wait ends by itself", async () => {
  await new Doorbell().wait(1);
});
