/** Bounds of an entry that a customer sends, so that checking it takes a few milliseconds. */
export const entryLimits = {
  /** Texts and names together; the largest family of the catalogue has 7,200 characters. */
  characters: 65_536,
  /** Objects, lists and single values together. */
  values: 4000,
  depth: 16,
  /** Fields of connection_config, credentials and integration_config together. */
  fields: 100,
  /** Characters of one text, such as a template. */
  text: 8192,
  /** Entries of one family. */
  variants: 50,
  /** Characters of a file with a family of entries, whose text takes far longer to read than JSON. */
  file: 16_384,
} as const;

/** What has been counted; one count for several entries bounds them together. */
interface Found {
  characters: number;
  values: number;
}

/** Why an entry is too large to be checked; undefined where it is not. Stops at the first bound that is passed. */
export function findSizeFault(
  entry: unknown,
  found: Found = { characters: 0, values: 0 },
): string | undefined {
  const fields = ["connection_config", "credentials", "integration_config"]
    .map((group) => countKeys(Object(entry)[group]))
    .reduce((sum, count) => sum + count, 0);
  if (fields > entryLimits.fields) return `it asks for more than ${entryLimits.fields} fields`;
  return measure(entry, 0, found);
}

function countKeys(group: unknown): number {
  return typeof group === "object" && group !== null ? Object.keys(group).length : 0;
}

function measure(value: unknown, depth: number, found: Found): string | undefined {
  found.values += 1;
  if (found.values > entryLimits.values) return `it has more than ${entryLimits.values} values`;
  if (depth > entryLimits.depth) return `it is nested more than ${entryLimits.depth} deep`;
  if (typeof value === "string") {
    if (value.length > entryLimits.text) {
      return `one of its texts has more than ${entryLimits.text} characters`;
    }
    found.characters += value.length;
  }
  if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      found.characters += key.length;
      const fault = measure(inner, depth + 1, found);
      if (fault !== undefined) return fault;
    }
  }
  return found.characters > entryLimits.characters
    ? `it has more than ${entryLimits.characters} characters`
    : undefined;
}
