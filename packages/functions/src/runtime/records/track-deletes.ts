import { functionLimits } from "@jackfield/contract/function-limits";
import { type Run, requireRunning } from "../run.ts";
import { RunFailure } from "../run-failure.ts";
import { sendLog } from "../write-log.ts";
import { requireModel } from "./require-model.ts";

/** Kept in the function's own memory. */
const MAX_KEYS = functionLimits.deletedKeys.value;

/** From now on the server notes which records of the model are saved. */
export async function trackDeletesStart(run: Run, model: string): Promise<void> {
  requireRunning(run);
  requireModel(run, model);
  await run.channel.call("trackDeletesStart", { model });
}

/** Marks what was not saved since as deleted. When the delete guard refuses, the run can do nothing more. */
export async function trackDeletesEnd(run: Run, model: string): Promise<{ deletedKeys: string[] }> {
  requireRunning(run);
  requireModel(run, model);
  try {
    const { value } = await run.channel.call("trackDeletesEnd", { model });
    return { deletedKeys: await listDeletedKeys(run, model, value.range) };
  } catch (error) {
    if (error instanceof RunFailure && error.type === "delete_guard") run.refusal = error;
    throw error;
  }
}

async function listDeletedKeys(
  run: Run,
  model: string,
  range: readonly [number, number],
): Promise<string[]> {
  const keys: string[] = [];
  let [after] = range;
  const [, until] = range;
  while (after < until) {
    if (keys.length >= MAX_KEYS) {
      await sendLog(run, {
        level: "warn",
        message: `More than ${MAX_KEYS} records of model ${model} were deleted; deletedKeys has the first of them.`,
      });
      return keys.slice(0, MAX_KEYS);
    }
    requireRunning(run);
    const { value } = await run.channel.call("listDeletedKeys", { model, range: [after, until] });
    keys.push(...value.ids);
    after = value.after ?? until;
  }
  return keys;
}
