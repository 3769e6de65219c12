import { expect, test } from "vitest";
import { killReceivers } from "../webhooks-in/kill-receiver.ts";

test("100 kills while webhooks come in lose none that was answered 2xx", async () => {
  const { accepted, forwarded, kills } = await killReceivers(100);

  const lost = [...accepted].filter((id) => !forwarded.has(id));
  expect(lost).toEqual([]);
  expect(accepted.size).toBeGreaterThan(kills);
});
