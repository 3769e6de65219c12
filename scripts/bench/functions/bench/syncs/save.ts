import { createSync } from "jackfield";
import * as z from "zod";

const RECORDS = 100_000;
const BATCH = 1000;

/**
 * Saves 100 000 records of 1 KB in batches of 1 000. The content depends on the id and on the round in the
 * connection's metadata: each round of 1 to 9 changes another tenth.
 */
export default createSync({
  description: "Records for the bench",
  frequency: "every day",
  autoStart: false,
  models: { Row: z.object({ id: z.string(), name: z.string(), text: z.string() }) },
  metadata: z.object({ round: z.number() }),
  exec: async (svc) => {
    const round = (await svc.getMetadata())?.round ?? 0;
    for (let from = 0; from < RECORDS; from += BATCH) {
      const rows = Array.from({ length: BATCH }, (_, offset) => toRow(from + offset, round));
      await svc.batchSave(rows, "Row");
    }
  },
});

function toRow(number: number, round: number) {
  const id = String(number);
  const turn = number % 10;
  const version = turn !== 0 && turn <= round ? turn : 0;
  return { id, name: `row ${id}`, text: `${id} ${version} `.padEnd(960, "lorem ipsum ") };
}
