import { scriptLimits } from "@jackfield/contract/script-limits";
import * as z from "zod";

export const codeInput = z.strictObject({
  code: z.string().max(scriptLimits.codeBytes).optional().describe("Body of the function"),
  input: z.unknown().optional().describe("Passed as input"),
  resume: z.string().max(100).optional().describe("Handle of a script to continue; without code"),
});

export const RUN_CODE = "run_code";

/** What a model reads of scripts; with the other fixed tools at most 1,300 tokens. */
export const codeTool = {
  name: RUN_CODE,
  description:
    "Runs TypeScript, the body of `async (tools, input) => {…}`, and answers what it returns and logs. Call tools as `await tools.<integration>.<tool>(input, { account? })`, as find_tools and describe_tools (form typescript) write them; use it for several calls and to filter long results. A failed call throws an error with code, message and next. No imports, network or timers; 60 s, 50 calls, 8 at once. Where it answers waiting, a person has to act first: then continue it by resume.",
  annotations: { title: "Run code", readOnlyHint: false, destructiveHint: true },
};
