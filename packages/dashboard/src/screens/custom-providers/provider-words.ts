import type { Target } from "../../parts/go.tsx";
import { homeOf } from "../../start/environment-address.ts";

/** What adding and changing providers takes. */
export const WRITE = "environment:providers:write";

export function cataloguePath(environment: string): string {
  return `${homeOf(environment)}/catalogue`;
}

/** The page of a provider of the environment's own. */
export function providerPage(environment: string, slug: string): Target {
  return { to: `${cataloguePath(environment)}/${encodeURIComponent(slug)}` };
}

/** The form for a provider that the catalogue lacks. */
export function newProviderPage(environment: string, name = ""): Target {
  const search = name === "" ? {} : { name };
  return { to: `${cataloguePath(environment)}/new`, search };
}
