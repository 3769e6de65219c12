import { createSync } from "jackfield";
import * as z from "zod";

const RECORDS = 30;
const BYTES = 5 * 1024 * 1024;

/** Saves 30 records of 5 MB, others in each round of the connection's metadata. */
export default createSync({
  description: "Large records for the bench",
  frequency: "every day",
  autoStart: false,
  models: { Large: z.object({ id: z.string(), text: z.string() }) },
  metadata: z.object({ round: z.number() }),
  exec: async (svc) => {
    const round = (await svc.getMetadata())?.round ?? 0;
    for (let number = 0; number < RECORDS; number += 1) {
      const id = String(number);
      await svc.batchSave([{ id, text: `${id} ${round} `.padEnd(BYTES, "lorem ipsum ") }], "Large");
    }
  },
});
