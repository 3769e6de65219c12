import type { CompiledFunction } from "@jackfield/functions/compile";
import { exitCodes, UserError } from "../user-error.ts";

/** One function of a project by `name`, `integration/name`, or name and integration. */
export function selectFunction<Fn extends CompiledFunction>(
  functions: readonly Fn[],
  wanted: { readonly name: string; readonly integration: string | undefined },
): Fn {
  const [before, after] = wanted.name.split("/", 2);
  const name = after ?? before;
  const integration = after === undefined ? wanted.integration : before;
  const found = functions.filter(
    (fn) =>
      fn.functionName === name && (integration === undefined || fn.integrationId === integration),
  );
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  const list = (second === undefined ? functions : found)
    .map((fn) => `  ${fn.integrationId}/${fn.functionName} (${fn.description.type})`)
    .join("\n");
  const what = second === undefined ? "index.ts has no function" : "there are several functions";
  throw new UserError(`${what} named ${wanted.name}; name one of these:\n${list}`, {
    exitCode: exitCodes.usage,
  });
}
