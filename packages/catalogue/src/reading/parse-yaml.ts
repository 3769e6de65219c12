import { isMap, isScalar, LineCounter, parseDocument, visit } from "yaml";

/** What a YAML text says, or why it cannot be read. */
export type YamlReading = { readonly content: unknown } | { readonly fault: string };

/**
 * Reads one YAML document. Takes time in proportion to the text, whose writer may be a customer: the package compares
 * each key of a mapping with all others, words every fault, and prints its warnings, so that none of this is asked for.
 */
export function parseYaml(text: string): YamlReading {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
    lineCounter: lines,
  });
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `at line ${line}, column ${col}`;
  };
  const [error] = document.errors;
  if (error !== undefined) return { fault: `${error.message} ${place(error.pos[0])}` };
  const twice = findRepeatedKey(document);
  if (twice !== undefined) return { fault: `Map keys must be unique ${place(twice)}` };
  try {
    return { content: document.toJS({ maxAliasCount: 0 }) };
  } catch (failure) {
    return { fault: failure instanceof Error ? failure.message : String(failure) };
  }
}

/** Offset of a key that its mapping has had before. */
function findRepeatedKey(document: ReturnType<typeof parseDocument>): number | undefined {
  let found: number | undefined;
  visit(document, {
    Map: (_key, map) => {
      const keys = new Set<unknown>();
      for (const { key } of isMap(map) ? map.items : []) {
        const name = isScalar(key) ? key.value : key;
        if (!keys.has(name)) keys.add(name);
        else if (isScalar(key)) {
          found = key.range?.[0] ?? 0;
          return visit.BREAK;
        }
      }
      return undefined;
    },
  });
  return found;
}
