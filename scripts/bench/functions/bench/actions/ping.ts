import { createAction } from "jackfield";
import * as z from "zod";

/** As little as an action can do. */
export default createAction({
  description: "Answers with its input",
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  agent: { effect: "read" },
  exec: (_svc, input) => input,
});
