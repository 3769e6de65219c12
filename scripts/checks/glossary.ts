import { parseSync } from "oxc-parser";
import type { Tree } from "./tree.ts";

/** Words of identifiers and file names in a row, and what docs/glossary.md has for them. */
const retiredNames: readonly (readonly [string, string])[] = [
  ["lane", "queueKey, queue or fast path"],
  ["lanes", "queueKeys, queues or fast paths"],
  ["told", "reported"],
  ["news", "event"],
  ["recall", "getCached…"],
  ["peek", "get…IfCached"],
  ["define lookup", "defineCache"],
  ["lookup store", "CacheStore"],
  ["kept answer", "idempotency record"],
  ["kept answers", "idempotency records"],
  ["seal place", "AssociatedData"],
  ["fair places", "FairSlots"],
  ["run places", "runSlots"],
  ["count places", "countSlots"],
  ["compile turns", "CompilerSlots"],
  ["take turn", "takeLease"],
  ["renew turn", "renewLease"],
  ["way out", "egress"],
  ["installation context", "SystemContext"],
];

/** The same for the server alone: elsewhere these words have their everyday meaning. */
const retiredOnServer: readonly (readonly [string, string])[] = [
  ["traffic", "limits"],
  ["turn", "lease, slot, batch or priority"],
  ["turns", "leases, slots, batches or queue"],
  ["call places", "callSlots"],
  ["agent place", "AgentServing"],
  ["open place", "openServing"],
  ["tell apart", "distinguish"],
];

/** Names that have a retired word and stay, with the reason. */
const namesThatStay: ReadonlyMap<string, string> = new Map([
  ["packages/server/src/foundation/http/leaving.ts", "a turn of the event loop"],
  ["packages/server/src/functions/events/after-creation.ts", "a field of tasks that are queued"],
  ["packages/server/src/functions/events/tasks.ts", "a field of tasks that are queued"],
  ["packages/server/src/records/drift/profile.ts", "a verb: the week turns"],
  ["packages/server/src/webhooks-in/arrivals/rhythm.ts", "a verb: the period turns"],
]);

const retiredPhrases: readonly (readonly [RegExp, string])[] = [
  [/[Aa]uthoris(?:e|ing|ation)/, "authorize, as RFC 6749 spells it"],
  [/\bwhole way\b/i, "slow path"],
  [/\bfast lane\b/i, "fast path"],
  [/\bkept answers?\b/i, "idempotency record"],
  [/\blook-ups?\b/i, "cache, or lookup of DNS"],
  [/\banew\b/i, "again"],
  [/\bnews\b/i, "event, change"],
  [/\btold apart\b/i, "distinguished"],
  [/\bway out\b/i, "egress, exit"],
  [/\b(?:go|goes|going|gone|went) on\b(?! for\b)/i, "continues"],
  [/\bbeside\b/i, "next to, in addition to"],
  [/\b(?:is|are|was|were|be|been) told\b(?! apart)/i, "is notified, learns, is"],
  [/\bwhatever\b/i, "any, every"],
  [/\bwhoever\b/i, "anyone, the caller"],
  [/\b(?:as|how) (?:it|they|the \w+) stands?\b/i, "state, current"],
  [/\bstands (?:in|on|under|before|next to|among|between|behind|left of)\b(?! for\b)/i, "is"],
  [/\bclosest platform\b/i, "compatible platform"],
];

/** The retired words themselves, and texts that were published or stored as they are. */
const notRead =
  /^(?:CHANGELOG\.md|STYLE\.md|docs\/(?:glossary|providers)\.md|scripts\/checks\/|tests\/glossary\.test\.ts|tests\/upgrades\/fixtures\/)/;

/** What people read of the project: code in every language of it, pages, styles and files to deploy with. */
const isReadable =
  /\.(?:tsx?|m?js|py|go|sh|css|md|html|toml|conf|cfg|service|env)$|\/(?:Caddyfile|Containerfile)$|^(?:deploy|examples|clients)\/.*\.(?:sql|ya?ml|json)$/;

/** Words that docs/glossary.md retires, in names of code and files, in comments, messages and pages. */
export function findRetiredWords(tree: Tree): string[] {
  const problems: string[] = [];
  for (const [path, text] of tree) {
    if (!isReadable.test(path) || notRead.test(path)) continue;
    problems.push(...findNames(path, text));
    const phrases = retiredPhrases.filter(([phrase]) => phrase.test(text));
    if (phrases.length === 0) continue;
    for (const [index, line] of text.split("\n").entries()) {
      for (const [phrase, cure] of phrases) {
        const [found] = phrase.exec(line) ?? [];
        if (found !== undefined && !line.includes("jackfield kept answers:"))
          problems.push(`${path}:${index + 1}: "${found}" is retired; write ${cure}`);
      }
    }
  }
  return problems;
}

function findNames(path: string, text: string): string[] {
  const isTest = path.endsWith(".test.ts") || path.includes("/testing/");
  const isRead = path.startsWith("packages/server/src/") && !isTest && !namesThatStay.has(path);
  const retired = isRead ? [...retiredNames, ...retiredOnServer] : retiredNames;
  const names = new Set([path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "")]);
  if (/\.(?:tsx?|m?js)$/.test(path)) addIdentifiers(path, text, { names, retired });
  else if (/\.(?:py|go)$/.test(path)) for (const [name] of text.matchAll(/\w+/g)) names.add(name);
  return [...names].flatMap((name) => {
    if (/^svc_/i.test(name)) return []; // A released setting or metric.
    const words = ` ${wordsOf(name).join(" ")} `;
    const found = retired.find(([name]) => words.includes(` ${name} `));
    return found === undefined ? [] : [`${path}: ${name} has a retired word; use ${found[1]}`];
  });
}

function addIdentifiers(
  path: string,
  text: string,
  { names, retired }: { readonly names: Set<string>; readonly retired: typeof retiredNames },
): void {
  const wanted = retired.map(([name]) => name.replace(" ", ""));
  const words = new Set(text.toLowerCase().match(/\w+/g));
  words.delete("return");
  const isCandidate = [...words].some((word) => wanted.some((name) => word.includes(name)));
  if (!isCandidate) return;
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("name" in value && "type" in value && typeof value.name === "string") {
      if (/Identifier$/.test(String(value.type))) names.add(value.name);
    }
    for (const child of Object.values(value)) visit(child);
  };
  visit(parseSync(path, text).program);
}

function wordsOf(name: string): string[] {
  const words = name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
  return words.map((word) => word.toLowerCase());
}
