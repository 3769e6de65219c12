/** The source of an action that greets. */
export function greet(word: string): string {
  return `import { createAction } from "jackfield";
import * as z from "zod";
export default createAction({
  description: "Greets somebody by name",
  input: z.object({
    name: z.string().describe("Who is greeted"),
    times: z.number().optional(),
    loud: z.boolean().optional(),
    tone: z.enum(["warm", "cold"]).optional(),
    extra: z.object({ title: z.string() }).optional(),
  }),
  output: z.object({ text: z.string(), input: z.any() }),
  exec: async (svc, input) => {
    await svc.log("greets " + input.name);
    return { text: "${word} " + input.name, input };
  },
});
`;
}
