import { queryOptions } from "@tanstack/react-query";
import { callApi } from "../api.ts";
import type { FunctionName } from "./functions.ts";

/** How operations of functions are called by their types. */
export const operationTypes: Readonly<Record<string, string>> = {
  sync: "sync",
  action: "action",
  "on-event": "events",
};

const DAY_MS = 86_400_000;
const COUNTED_EVERY_MS = 10 * 60_000;
/** Names that the API takes in one call. */
const NAMES_AT_ONCE = 20;

export function keyOfFunction({ integration, type, name }: FunctionName): string {
  return JSON.stringify([integration, type, name]);
}

/**
 * What 95 % of the runs of these functions took at most within the last day, in milliseconds. It is read from counts, in
 * a call for up to 20 functions of one integration and type; one that did not run has none.
 */
export function functionTimesQuery(environment: string, functions: readonly FunctionName[]) {
  return queryOptions({
    queryKey: ["metric-totals", environment, "function-times", functions.map(keyOfFunction)],
    queryFn: async ({ signal }) => {
      const now = Date.now();
      const period = {
        from: new Date(now - DAY_MS).toISOString(),
        to: new Date(now).toISOString(),
      };
      const found = new Map<string, number>();
      for (const some of inCalls(functions)) {
        const [{ integration, type }] = some;
        const query = Object({
          ...{ by: "function", types: operationTypes[type], integrations: integration },
          ...{ functions: some.map(({ name }) => name).join(","), ...period },
        });
        const { data } = await callApi("getMetricTotals", { environment, query, signal });
        for (const { name, duration_p95_ms: p95 } of data) {
          if (name !== null && p95 !== null)
            found.set(keyOfFunction({ integration, type, name }), p95);
        }
      }
      return found;
    },
    staleTime: COUNTED_EVERY_MS,
    refetchInterval: COUNTED_EVERY_MS,
    placeholderData: (before) => before,
    enabled: functions.length > 0,
  });
}

function inCalls(functions: readonly FunctionName[]): [FunctionName, ...FunctionName[]][] {
  const groups = Map.groupBy(functions, ({ integration, type }) => `${integration}\n${type}`);
  return [...groups.values()].flatMap((group) => {
    const calls: [FunctionName, ...FunctionName[]][] = [];
    for (let at = 0; at < group.length; at += NAMES_AT_ONCE) {
      const [first, ...others] = group.slice(at, at + NAMES_AT_ONCE);
      if (first !== undefined) calls.push([first, ...others]);
    }
    return calls;
  });
}
