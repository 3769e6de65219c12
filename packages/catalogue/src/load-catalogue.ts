import { readdirSync, readFileSync } from "node:fs";
import { parse, YAMLParseError } from "yaml";
import type * as z from "zod";
import { checkProvider } from "./check-provider.ts";
import { family, type Provider, provider } from "./schema.ts";

export interface Catalogue {
  getProvider(id: string): Provider | undefined;
  /** In the order of their ids. */
  listProviders(): readonly Provider[];
}

/** An entry that breaks the schema or a rule; the message has one line for each fault. */
export class CatalogueError extends Error {
  override name = "CatalogueError";
}

const builtIn = new URL("../providers/", import.meta.url);

/** Reads every file of the folder and checks it; throws CatalogueError with all faults at once. */
export function loadCatalogue(folder: URL = builtIn): Catalogue {
  const faults: string[] = [];
  const byId = new Map<string, Provider>();
  for (const name of readdirSync(folder).toSorted()) {
    if (!name.endsWith(".yaml")) continue;
    const { providers, faults: own } = readFamily(
      name,
      readFileSync(new URL(name, folder), "utf8"),
    );
    faults.push(...own);
    for (const entry of providers) {
      if (byId.has(entry.id)) faults.push(`${name}: ${entry.id} exists twice`);
      byId.set(entry.id, entry);
    }
  }
  if (faults.length > 0) throw new CatalogueError(faults.join("\n"));
  const list = [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return { getProvider: (id) => byId.get(id), listProviders: () => list };
}

interface FamilyReading {
  readonly providers: readonly Provider[];
  readonly faults: readonly string[];
}

/** The providers of one file's text, and what is wrong with the others. */
export function readFamily(name: string, text: string): FamilyReading {
  let content: unknown;
  try {
    content = parse(text, { maxAliasCount: 0 });
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    return { providers: [], faults: [`${name}: ${error.message}`] };
  }
  const parsed = family.safeParse(content);
  if (!parsed.success) return { providers: [], faults: listIssues(name, parsed.error) };
  const { family: stem, shared, variants } = parsed.data;
  const faults = `${stem}.yaml` === name ? [] : [`${name}: family is ${stem}`];
  const providers: Provider[] = [];
  for (const [index, variant] of variants.entries()) {
    const where = `${name}: ${typeof variant["id"] === "string" ? variant["id"] : `variant ${index}`}`;
    const entry = readProvider({ ...shared, ...variant }, where);
    faults.push(...entry.faults);
    if (entry.provider !== undefined) providers.push(entry.provider);
  }
  return { providers, faults };
}

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

function listIssues(where: string, error: z.ZodError): string[] {
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

let loaded: Catalogue | undefined;

function getCatalogue(): Catalogue {
  loaded ??= loadCatalogue();
  return loaded;
}

/** A provider of the built-in catalogue, which is read once. */
export function getProvider(id: string): Provider | undefined {
  return getCatalogue().getProvider(id);
}

export function listProviders(): readonly Provider[] {
  return getCatalogue().listProviders();
}
