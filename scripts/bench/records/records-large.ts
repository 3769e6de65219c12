import { Agent } from "undici";
import { readMemoryMb } from "../meters/read-memory.ts";
import type { BenchRow } from "../meters/row.ts";
import {
  getRecords,
  onEachPostgres,
  type RecordsBench,
  runSync,
  setRound,
} from "./records-bench.ts";

const TURNS = 4;
/** As the function `save-large` makes them. */
const RECORDS = 30;
const RECORD_BYTES = 5 * 1024 * 1024;

/**
 * Memory that the server takes on while records of 5 MB are saved and, apart from that, read; each is done
 * several times over, and what the last times add to the peak shows whether it grows with their number.
 */
export async function benchLargeRecords(): Promise<BenchRow[]> {
  return await onEachPostgres(async (bench) => [
    await measureRounds(bench, "saving", async (turn) => {
      await setRound(bench, turn + 1);
      await runSync(bench, "save-large");
    }),
    await measureRounds(bench, "reading", async () => await readLarge(bench)),
  ]);
}

async function measureRounds(
  { processId }: RecordsBench,
  verb: string,
  take: (turn: number) => Promise<void>,
): Promise<BenchRow> {
  const before = readMemoryMb(processId).peak;
  const peaks = [before];
  for (let turn = 0; turn < TURNS; turn += 1) {
    await take(turn);
    peaks.push(readMemoryMb(processId).peak);
  }
  const gains = peaks.slice(1).map((peak, index) => Math.round(peak - (peaks[index] ?? peak)));
  return {
    name: `peak memory gained by ${verb} records of 5 MB`,
    value: (peaks.at(-1) ?? before) - before,
    unit: "MB",
    note: `${TURNS} times 150 MB: ${gains.join(", ")} MB; peak before ${Math.round(before)} MB`,
  };
}

async function readLarge(bench: RecordsBench): Promise<void> {
  await using agent = {
    inner: new Agent(),
    [Symbol.asyncDispose]: async () => await agent.inner.close(),
  };
  let cursor: string | undefined;
  let bytes = 0;
  do {
    const page = await getRecords(bench, agent.inner, { model: "Large", cursor });
    bytes += page.bytes;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  if (bytes < RECORDS * RECORD_BYTES) throw new Error(`only ${bytes} bytes were read`);
}
