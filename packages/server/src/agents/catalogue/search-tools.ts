import MiniSearch from "minisearch";

/** What a search looks through. */
export interface SearchedTool {
  /** Unique among the tools. */
  readonly name: string;
  readonly action: string;
  readonly title: string;
  /** Key, name and provider of the integration. */
  readonly integration: string;
  readonly description: string;
  /** Names of the parameters. */
  readonly parameters: string;
}

export interface ToolSearch {
  /** Names of the tools that fit best, the best first. */
  find(query: string, wanted: { limit: number; fits: (name: string) => boolean }): string[];
}

const fields = ["action", "title", "integration", "description", "parameters"] as const;

/** More words, and more of a word, are left out: the cost of a query is bounded. */
const MOST_WORDS = 24;
const LONGEST_WORD = 40;

/** Tools that are indexed in one piece; others of the process are served in between. */
const AT_ONCE = 50;

/** BM25 over the texts of tools, with beginnings of words and small faults of spelling. */
export async function createToolSearch(tools: readonly SearchedTool[]): Promise<ToolSearch> {
  const index = new MiniSearch<SearchedTool>({
    fields: [...fields],
    idField: "name",
    tokenize: toWords,
    processTerm: toTerm,
    searchOptions: {
      boost: { action: 4, title: 3, integration: 3 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 9 ? 2 : term.length > 5 ? 1 : false),
      weights: { prefix: 0.3, fuzzy: 0.2 },
    },
  });
  await index.addAllAsync(tools, { chunkSize: AT_ONCE });
  return {
    find(query, { limit, fits }) {
      const words = toWords(query).slice(0, MOST_WORDS).join(" ");
      const found = index.search(words, { filter: ({ id }) => fits(String(id)) });
      return found.slice(0, limit).map(({ id }) => String(id));
    },
  };
}

/** `createContact`, `create-contact` and `create_contact` are two words each. */
function toWords(text: string): string[] {
  return text
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map((word) => word.slice(0, LONGEST_WORD));
}

/** Words that occur in any request and distinguish nothing. */
const empty = new Set(
  "a an and the of to for in on at by with from is are be it this that all any my me i we you your our please can".split(
    " ",
  ),
);

/** Synonyms that people and authors use, by the word that replaces them. */
const synonyms = new Map(
  [
    ["create", "add new make insert open register"],
    ["delete", "remove erase destroy drop discard"],
    ["update", "edit change modify set rename patch"],
    ["find", "search lookup look query locate"],
    ["get", "fetch read show retrieve view display load"],
    ["list", "enumerate browse"],
    ["send", "deliver post write"],
    ["upload", "attach import"],
    ["email", "mail message"],
    ["contact", "person people"],
    ["company", "organization organisation account firm"],
    ["event", "meeting appointment"],
    ["issue", "ticket bug"],
    ["file", "document"],
  ].flatMap(([word = "", others = ""]) => others.split(" ").map((other) => [other, word] as const)),
);

/** One form of a verb or a noun; where others mean the same, both count. */
function toTerm(word: string): string | string[] | false {
  const lower = word.toLowerCase();
  if (empty.has(lower)) return false;
  const form = singular(lower);
  const meant = synonyms.get(form);
  return meant === undefined ? form : [form, meant];
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(s|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}
