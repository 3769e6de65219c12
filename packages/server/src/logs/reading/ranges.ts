import type { OperationFilter } from "./logged.ts";

/** Operations that one index has in the order of the list. */
export interface OperationRange {
  /** Whose operations the index has; undefined for all of the environment. */
  readonly only: { readonly part: "connection" | "integration"; readonly name: string } | undefined;
  /** What else has to hold. */
  readonly filter: OperationFilter;
}

/** A range for each connection that the filter names, or else for each integration: an index has each by itself. */
export function toRanges(filter: OperationFilter): OperationRange[] {
  const { connections, ...others } = filter;
  if (connections !== undefined) return rangesOf("connection", connections, others);
  const { integrations, ...rest } = others;
  if (integrations !== undefined) return rangesOf("integration", integrations, rest);
  return [{ only: undefined, filter }];
}

function rangesOf(
  part: "connection" | "integration",
  names: readonly string[],
  filter: OperationFilter,
): OperationRange[] {
  return [...new Set(names)].map((name) => ({ only: { part, name }, filter }));
}
