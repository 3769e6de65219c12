import { expect, test } from "vitest";
import { killReceivers } from "./kill-receiver.ts";

test("everything that was answered 2xx is handled, however often the process is killed", async () => {
  const { accepted, forwarded, kills } = await killReceivers(5);

  const lost = [...accepted].filter((id) => !forwarded.has(id));
  expect(lost).toEqual([]);
  expect(accepted.size).toBeGreaterThan(kills);
}, 180_000);
