import { expect, test } from "vitest";
import { killReceivers } from "../webhooks-in/kill-receiver.ts";

test("W6: 100 kills while webhooks come in lose none that was answered 2xx", async () => {
  const { accepted, forwarded, kills } = await killReceivers(100);

  const lost = [...accepted].filter((id) => !forwarded.has(id));
  const times = [...forwarded.values()].reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    `\nW6: ${kills} kills, ${accepted.size} answered 2xx, ${lost.length} of them lost, ${forwarded.size} forwarded ${times} times\n`,
  );
  expect(lost).toEqual([]);
  expect(accepted.size).toBeGreaterThan(kills);
});
