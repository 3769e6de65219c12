import { ActionError } from "../action-error.ts";
import { describeIssues } from "./check-value.ts";
import { type Run, requireRunning, type ValueSchema } from "./run.ts";
import { sendLog } from "./write-log.ts";

/** Parses with the author's schema; on failure logs each issue and throws an ActionError. */
export async function zodValidateInput(
  run: Run,
  { zodSchema, input }: { zodSchema: ValueSchema; input: unknown },
): Promise<{ success: true; data: unknown }> {
  requireRunning(run);
  const result = await zodSchema.safeParseAsync(input);
  if (result.success) return { success: true, data: result.data };
  for (const issue of result.error?.issues ?? []) {
    await sendLog(run, { level: "error", message: `Invalid input: ${describeIssues([issue])}` });
  }
  throw new ActionError({ message: "Invalid input provided" });
}
