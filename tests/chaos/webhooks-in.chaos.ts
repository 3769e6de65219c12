import { expect, test } from "vitest";
import { measureReading } from "../../packages/server/src/webhooks-in/testing/index.ts";
import { floodNeighbour } from "../webhooks-in/flood-neighbour.ts";
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

test("a flood of one environment's webhooks neither delays nor drops another's", async () => {
  const { quiet, handledMs, flood, slowestHealthMs } = await floodNeighbour(30_000);

  const waits = p95(quiet.waitsMs);
  const handled = p95(handledMs);
  process.stdout.write(
    `\nflood next to: ${JSON.stringify(flood)}; the other: ${quiet.statuses.length} sent, p95 ${waits.toFixed(0)} ms to the answer, ${handled.toFixed(0)} ms until handled; /health at most ${slowestHealthMs.toFixed(0)} ms\n`,
  );
  expect(quiet.statuses.filter((status) => status !== 200)).toEqual([]);
  expect(handledMs).toHaveLength(quiet.statuses.length);
  expect(waits).toBeLessThan(2000);
  expect(handled).toBeLessThan(2000);
});

function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;
}

test("no body of 2 MB is dearer for any router than its bytes explain", () => {
  const [small, large] = [measureReading(2 ** 17), measureReading(2 ** 21)];

  const [dearest] = large;
  process.stdout.write(`\ndearest body: ${dearest?.name}, ${dearest?.msPerMegabyte} ms a MB\n`);
  const before = new Map(small.map(({ name, msPerMegabyte }) => [name, msPerMegabyte]));
  // Sixteen times the bytes: what grows with their square costs sixteen times as much for each.
  const grown = large.filter(
    ({ name, msPerMegabyte }) => msPerMegabyte > 4 * Math.max(before.get(name) ?? 0, 50),
  );
  expect(grown).toEqual([]);
});
