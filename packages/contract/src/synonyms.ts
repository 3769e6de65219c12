/** Other spellings of parameters and fields, each with the name that it stands for. */
export type Synonyms = Readonly<Record<string, string>>;

/** The camelCase names that routes accept in addition to their snake_case ones. */
export function camelCaseOf<const Name extends string>(...names: readonly Name[]): Synonyms {
  return Object.fromEntries(
    names.map((name) => [name.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase()), name]),
  );
}

/** Two spellings of one name with different values. */
export interface SynonymConflict {
  readonly name: string;
  readonly synonym: string;
}

/** The values under the names of the contract, first level only; what is no object stays as it is. */
export function resolveSynonyms(
  values: unknown,
  synonyms: Synonyms,
): { readonly values: unknown; readonly conflict: SynonymConflict | undefined } {
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    return { values, conflict: undefined };
  }
  const resolved = new Map<string, unknown>(Object.entries(values));
  for (const [synonym, name] of Object.entries(synonyms)) {
    if (!Object.hasOwn(values, synonym)) continue;
    const value: unknown = resolved.get(synonym);
    resolved.delete(synonym);
    if (!resolved.has(name)) resolved.set(name, value);
    else if (JSON.stringify(resolved.get(name)) !== JSON.stringify(value)) {
      return { values, conflict: { name, synonym } };
    }
  }
  return { values: Object.fromEntries(resolved), conflict: undefined };
}
