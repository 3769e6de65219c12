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

/** One line for each issue of a value that breaks its schema: where, path and reason. */
export function listIssues(where: string, error: z.ZodError): string[] {
  const lines = error.issues.flatMap((issue) => flatten(issue, []));
  return lines.map(({ path, message }) => `${where}: ${path.join(".")}: ${message}`);
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Of a value that may have several forms, why it has none of them; forms of another type were not meant. */
function flatten(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): Issue[] {
  const path = [...above, ...issue.path];
  if (issue.code !== "invalid_union" || issue.errors.length === 0) {
    return [{ path, message: issue.message }];
  }
  const meant = issue.errors.filter((form) => !form.some(isOfAnotherType));
  const forms = meant.length === 0 ? issue.errors : meant;
  return forms.flat().flatMap((inner) => flatten(inner, path));
}

function isOfAnotherType({ code, path }: z.core.$ZodIssue): boolean {
  return code === "invalid_type" && path.length === 0;
}
