import { createHash } from "node:crypto";
import type { RawEntry } from "../reading/read-family.ts";
import { type Provider, provider } from "../schema.ts";

/**
 * The catalogue in one file that starts fast: a line of JSON about the whole, then one line for each entry,
 * in the order of the ids. An entry is parsed when it is first asked for.
 */
export interface CompiledCatalogue {
  /** SHA-256 of the entries, hex. */
  readonly hash: string;
  readonly ids: readonly string[];
  /** Names under which providers send the state back to a callback. */
  readonly stateNames: readonly string[];
  getProvider(id: string): Provider | undefined;
  /** Each entry, parsed for the caller alone unless it is in use. */
  listProviders(): readonly Provider[];
}

// How the facts are known is for those who keep the files, not for the engine.
const onlyInFiles = new Set(["sources", "evidence"]);

export function compileCatalogue(
  entries: readonly RawEntry[],
  providers: readonly Provider[],
): string {
  const lines = entries.map(toLine);
  const head = {
    hash: createHash("sha256").update(lines.join("\n")).digest("hex"),
    state_names: listStateNames(providers),
  };
  return `${[JSON.stringify(head), ...lines].join("\n")}\n`;
}

function toLine({ id, ...entry }: RawEntry): string {
  const kept = Object.entries(entry).filter(([name]) => !onlyInFiles.has(name));
  return JSON.stringify({ id, ...Object.fromEntries(kept) });
}

function listStateNames(providers: readonly Provider[]): string[] {
  const named = providers.flatMap((entry) => ("callback" in entry ? [entry.callback.state] : []));
  return [...new Set(["state", ...named])];
}

/** Reads what `compileCatalogue` has written; nothing but the first line is parsed now. */
export function openCompiledCatalogue(text: string): CompiledCatalogue {
  const [head = "", ...lines] = text.trimEnd().split("\n");
  const { hash, state_names: stateNames } = parseHead(head);
  const lineOf = new Map(lines.map((line) => [readId(line), line]));
  const inUse = new Map<string, Provider>();
  return {
    hash,
    ids: [...lineOf.keys()],
    stateNames,
    getProvider(id) {
      const known = inUse.get(id);
      if (known !== undefined) return known;
      const line = lineOf.get(id);
      if (line === undefined) return undefined;
      const parsed = parseLine(line);
      inUse.set(id, parsed);
      return parsed;
    },
    listProviders: () => Array.from(lineOf, ([id, line]) => inUse.get(id) ?? parseLine(line)),
  };
}

function parseHead(line: string): { hash: string; state_names: string[] } {
  return JSON.parse(line);
}

/** The id comes first in each line. */
function readId(line: string): string {
  return /^\{"id":"([^"]+)"/.exec(line)?.[1] ?? "";
}

function parseLine(line: string): Provider {
  return provider.parse(JSON.parse(line));
}
