import { callApi, isNotFound } from "../api.ts";
import type { OwnEnvironment } from "../me.ts";
import { holdsScope } from "../scopes.ts";

/** Asked at once: more would wait for each other in the browser. */
const AT_ONCE = 5;

/**
 * The environment that has an operation, among those whose log the person may read; the given order is that of
 * asking. Undefined where none has it; throws ApiError where one could not be asked and none of the others has it.
 */
export async function findOperation(
  environments: readonly OwnEnvironment[],
  id: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const readable = environments.filter(({ scopes }) => holdsScope(scopes, "environment:logs:read"));
  const failures: unknown[] = [];
  for (let from = 0; from < readable.length; from += AT_ONCE) {
    const answers = await Promise.allSettled(
      readable.slice(from, from + AT_ONCE).map(async ({ name: environment }) => {
        await callApi("getOperation", { environment, params: { id }, signal });
        return environment;
      }),
    );
    for (const answer of answers) {
      if (answer.status === "fulfilled") return answer.value;
      if (!isNotFound(answer.reason)) failures.push(answer.reason);
    }
  }
  if (failures.length > 0) throw failures[0];
  return undefined;
}
