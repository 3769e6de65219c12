import { createSync } from "jackfield";
import * as z from "zod";

const RECORDS = 20_000;
const BATCH = 1000;

/** Saves 20 000 records of 1 KB in batches of 1 000; the content depends only on the id. */
export default createSync({
  description: "Records for the bench",
  frequency: "every day",
  autoStart: false,
  models: { Row: z.object({ id: z.string(), name: z.string(), text: z.string() }) },
  exec: async (svc) => {
    for (let from = 0; from < RECORDS; from += BATCH) {
      const rows = Array.from({ length: BATCH }, (_, offset) => {
        const id = String(from + offset);
        return { id, name: `row ${id}`, text: id.padEnd(960, "lorem ipsum ") };
      });
      await svc.batchSave(rows, "Row");
    }
  },
});
