import { parse, YAMLParseError } from "yaml";
import { listIssues, readProvider } from "./read-provider.ts";
import { family, type Provider } from "./schema.ts";

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
  let content: unknown;
  try {
    content = parse(text, { maxAliasCount: 0 });
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    return { providers: [], entries: [], faults: [`${name}: ${error.message}`] };
  }
  const parsed = family.safeParse(content);
  if (!parsed.success) {
    return { providers: [], entries: [], faults: listIssues(name, parsed.error) };
  }
  const { family: stem, name: product, shared, variants } = parsed.data;
  const faults = `${stem}.yaml` === name ? [] : [`${name}: family is ${stem}`];
  const providers: Provider[] = [];
  const entries: RawEntry[] = [];
  for (const [index, variant] of variants.entries()) {
    const { id } = variant;
    const where = `${name}: ${typeof id === "string" ? id : `variant ${index}`}`;
    const entry = { ...shared, ...variant, family: stem, family_name: product };
    const reading = readProvider(entry, where);
    faults.push(...reading.faults);
    if (reading.provider === undefined) continue;
    providers.push(reading.provider);
    entries.push(entry);
  }
  return { providers, entries, faults };
}
