import { SECOND } from "#foundation";
import type { OperationFilter } from "./logged.ts";

type Part = "connection" | "integration" | "function" | "type";

/**
 * From where on each class of durations is counted, in milliseconds: the index operations_slow has the operations of each
 * class in the order of the list, and none that took less than a second.
 */
export const SLOW_FROM_MS: readonly number[] = [1, 4, 16, 64, 256, 1024, 4096, 16_384].map(
  (seconds) => seconds * SECOND,
);

/** Operations that one index has in the order of the list. */
export interface OperationRange {
  /** Whose operations the index has, or those of a class of durations; undefined for all of the environment. */
  readonly only:
    | { readonly part: Part; readonly name: string }
    | { readonly part: "duration"; readonly slowness: number }
    | undefined;
  /** What else has to hold. */
  readonly filter: OperationFilter;
}

/**
 * A range for each connection that the filter names, or else for each integration, function, type or class of durations:
 * an index has each by itself.
 */
export function toRanges(filter: OperationFilter): OperationRange[] {
  const { connections, integrations, functions, types, ...others } = filter;
  const ofParts = { integrations, functions, types };
  if (connections !== undefined) {
    return rangesOf("connection", connections, { ...others, ...ofParts });
  }
  if (integrations !== undefined) {
    return rangesOf("integration", integrations, { ...others, functions, types });
  }
  if (functions !== undefined) return rangesOf("function", functions, { ...others, types });
  if (types !== undefined) return rangesOfTypes(types, others);
  const { min_duration_ms: least = 0, max_duration_ms: most, ...rest } = others;
  const isRange = least <= (most ?? least);
  if (isUnusual(filter) || least < Math.min(...SLOW_FROM_MS) || !isRange) {
    return [{ only: undefined, filter }];
  }
  return rangesOfDurations({ least, most }, rest);
}

/** Whether nothing that succeeded can fit: what did is of the level `info`, as `levelOf` says. */
export function isUnusual({ states, levels }: OperationFilter): boolean {
  return states?.includes("success") === false || levels?.includes("info") === false;
}

/** Each class of which some took as long: only the first and the last also have others. */
function rangesOfDurations(
  { least, most = Number.POSITIVE_INFINITY }: { least: number; most: number | undefined },
  filter: OperationFilter,
): OperationRange[] {
  return SLOW_FROM_MS.flatMap((from, index) => {
    const until = SLOW_FROM_MS[index + 1] ?? Number.POSITIVE_INFINITY;
    if (until <= least || from > most) return [];
    return {
      only: { part: "duration", slowness: index + 1 } as const,
      filter: {
        ...filter,
        ...(from < least ? { min_duration_ms: least } : {}),
        ...(until > most ? { max_duration_ms: most } : {}),
      },
    };
  });
}

function rangesOf(part: Part, names: readonly string[], filter: OperationFilter): OperationRange[] {
  return [...new Set(names)].map((name) => ({ only: { part, name }, filter }));
}

/** `type`, or `type:action`, which is looked for among those of its type. */
function rangesOfTypes(types: readonly string[], filter: OperationFilter): OperationRange[] {
  const wanted = Map.groupBy(new Set(types), (type) => type.split(":", 1)[0] ?? type);
  return [...wanted].map(([name, own]) => ({
    only: { part: "type", name },
    filter: { ...filter, types: own.includes(name) ? undefined : own },
  }));
}
