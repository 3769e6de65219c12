import type { Api } from "@jackfield/frontend/api";
import { fetchScopeNames, type Integration } from "../platform.ts";
import type { Texts } from "../texts/english.ts";

export type Thing = keyof Texts["things"];

/** What a scope allows: `keep` is to act while nobody is there. */
export type Meaning = `${keyof Texts["access"]} ${Thing}` | "keep";

/** By scope. */
export type Meanings = Readonly<Record<string, Meaning>>;

export interface Scope {
  /** As the provider calls it. */
  readonly name: string;
  /** Undefined where it has no words here. */
  readonly meaning: Meaning | undefined;
}

/** Scopes that the provider will be asked for. */
export async function fetchScopes(
  api: Api,
  { unique_key: key, provider }: Integration,
): Promise<readonly Scope[]> {
  return await explainScopes(provider, await fetchScopeNames(api, key));
}

/** The list of meanings is loaded where there are scopes to look up. */
export async function explainScopes(
  provider: string,
  names: readonly string[],
): Promise<readonly Scope[]> {
  if (names.length === 0) return [];
  const find = await import("./meanings.ts").then(
    ({ findMeaning }) => findMeaning,
    () => undefined,
  );
  return names.map((name) => ({ name, meaning: find?.(provider, name) }));
}

/** In the page's language; empty where the scope has no words. */
export function wordsOf({ meaning }: Scope, texts: Texts): string {
  if (meaning === undefined) return "";
  if (meaning === "keep") return texts.keepAccess;
  const [access, thing] = split(meaning);
  return texts.access[access](texts.things[thing]);
}

function split(meaning: Exclude<Meaning, "keep">): [keyof Texts["access"], Thing] {
  // The type has both parts, with one space between them.
  return meaning.split(" ", 2) as [keyof Texts["access"], Thing];
}
