import type * as z from "zod";
import { checkProvider } from "../checks/check-provider.ts";
import { type Provider, provider } from "../schema.ts";

/** One entry, and what is wrong with it; without a provider where it breaks the schema. */
export function readProvider(
  entry: unknown,
  where = "entry",
): { readonly provider: Provider | undefined; readonly faults: readonly string[] } {
  const parsed = provider.safeParse(entry);
  if (!parsed.success) return { provider: undefined, faults: listIssues(where, parsed.error) };
  const faults = checkProvider(parsed.data).map((fault) => `${where}: ${fault}`);
  return { provider: parsed.data, faults };
}

/** One line for each issue of a value that breaks its schema. */
export function listIssues(where: string, error: z.ZodError): string[] {
  return error.issues.flatMap((issue) => describeIssue(where, issue));
}

/** Of a value that may have several forms, why it has none of them. */
function describeIssue(where: string, issue: z.core.$ZodIssue): string[] {
  const path = `${where}: ${issue.path.join(".")}`;
  if (issue.code !== "invalid_union" || issue.errors.length === 0) {
    return [`${path}: ${issue.message}`];
  }
  return issue.errors.flat().flatMap((inner) => describeIssue(path, inner));
}
