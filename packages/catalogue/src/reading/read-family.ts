import { isMap, isScalar, LineCounter, parseDocument, visit } from "yaml";
import { family, type Provider } from "../schema.ts";
import { entryLimits, findSizeFault } from "./entry-limits.ts";
import { listIssues, readProvider } from "./read-provider.ts";

/** An entry as its file says it, with what its family shares. */
export type RawEntry = Readonly<Record<string, unknown>>;

interface FamilyReading {
  readonly providers: readonly Provider[];
  /** The entries of `providers`, in the same order. */
  readonly entries: readonly RawEntry[];
  readonly faults: readonly string[];
}

/** The providers of one file's text, and what is wrong with the others. */
export function readFamily(name: string, text: string): FamilyReading {
  const read = readText(text);
  if ("fault" in read) return { providers: [], entries: [], faults: [`${name}: ${read.fault}`] };
  const parsed = family.safeParse(read.content);
  if (!parsed.success) {
    return { providers: [], entries: [], faults: listIssues(name, parsed.error) };
  }
  const { family: stem, name: product, shared, variants } = parsed.data;
  const faults = `${stem}.yaml` === name ? [] : [`${name}: family is ${stem}`];
  const providers: Provider[] = [];
  const entries: RawEntry[] = [];
  const found = { characters: 0, values: 0 };
  for (const [index, variant] of variants.entries()) {
    const { id } = variant;
    const where = `${name}: ${typeof id === "string" ? id : `variant ${index}`}`;
    const entry = { ...shared, ...variant, family: stem, family_name: product };
    // What is shared counts again for every variant.
    const fault = findSizeFault(entry, found);
    if (fault !== undefined)
      return { providers, entries, faults: [...faults, `${where}: ${fault}`] };
    const reading = readProvider(entry, where);
    faults.push(...reading.faults);
    if (reading.provider === undefined) continue;
    providers.push(reading.provider);
    entries.push(entry);
  }
  return { providers, entries, faults };
}

function readText(text: string): YamlReading {
  const { file, variants } = entryLimits;
  if (text.length > file) return { fault: `the file has more than ${file} characters` };
  const read = parseYaml(text);
  if ("fault" in read) return read;
  const listed: unknown = Object(read.content).variants;
  if (!Array.isArray(listed) || listed.length <= variants) return read;
  return { fault: `the family has more than ${variants} variants` };
}

/** What a YAML text says, or why it cannot be read. */
type YamlReading = { readonly content: unknown } | { readonly fault: string };

/**
 * Reads one YAML document. Takes time in proportion to the text, whose writer may be a customer: the package compares
 * each key of a mapping with all others, words every fault, and prints its warnings, so that none of this is asked for.
 */
function parseYaml(text: string): YamlReading {
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
