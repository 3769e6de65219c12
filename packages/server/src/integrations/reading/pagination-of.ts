import type { RunFacts } from "@jackfield/contract/runtime";
import { findProviderOf, type WithProvider } from "../integration.ts";

/** How the provider's entry says that its lists are paged; undefined where it does not. */
export function paginationOf(integration: WithProvider): RunFacts["pagination"] {
  const pagination = findProviderOf(integration)?.pagination;
  if (pagination === undefined) return undefined;
  const entries = Object.entries(pagination).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}
