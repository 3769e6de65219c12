import { createAction } from "jackfield";
import * as z from "zod";

/** Leaves what cannot be taken back, so that its process serves one connection only. */
export default createAction({
  description: "Leaves a global that cannot be deleted",
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  exec: (_svc, input) => {
    Object.defineProperty(globalThis, "stain", { value: input.text });
    return input;
  },
});
