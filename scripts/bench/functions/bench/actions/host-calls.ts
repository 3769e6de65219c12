import { createAction } from "jackfield";
import * as z from "zod";

/** Makes calls to the host that do next to nothing there, and tells how long one took. */
export default createAction({
  description: "Calls the host",
  input: z.object({ calls: z.number(), atOnce: z.number() }),
  output: z.object({ microseconds: z.number() }),
  exec: async (svc, { calls, atOnce }) => {
    const startedAt = performance.now();
    const caller = async (): Promise<void> => {
      for (let n = 0; n < calls / atOnce; n += 1) await svc.releaseAllLocks();
    };
    await Promise.all(Array.from({ length: atOnce }, caller));
    return { microseconds: (1000 * (performance.now() - startedAt)) / calls };
  },
});
