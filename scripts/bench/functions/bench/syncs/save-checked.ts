import { createSync } from "jackfield";
import * as z from "zod";

const RECORDS = 100_000;
const BATCH = 1000;

/**
 * Saves 100 000 records of 1 KB in batches of 1 000, of which as many tenths do not match as the round in the
 * connection's metadata says; otherwise all runs save the same.
 */
export default createSync({
  description: "Records for the bench, some of which are quarantined",
  frequency: "every day",
  autoStart: false,
  models: { Checked: z.object({ id: z.string(), name: z.string(), text: z.string() }) },
  onInvalidRecord: "quarantine",
  metadata: z.object({ round: z.number() }),
  exec: async (svc) => {
    const round = (await svc.getMetadata())?.round ?? 0;
    for (let from = 0; from < RECORDS; from += BATCH) {
      const rows = Array.from({ length: BATCH }, (_, offset) => toRow(from + offset, round));
      // @ts-expect-error what a provider sends has the types of a schema or not
      await svc.batchSave(rows, "Checked");
    }
  },
});

function toRow(number: number, round: number) {
  const id = String(number);
  const name = number % 10 < round ? null : `row ${id}`;
  return { id, name, text: `${id} `.padEnd(960, "lorem ipsum ") };
}
