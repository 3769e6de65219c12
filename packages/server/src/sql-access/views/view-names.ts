import { createHash } from "node:crypto";

/** Of Postgres, in bytes; names here are ASCII. */
const LONGEST = 63;
const HASH_DIGITS = 8;
/** Leaves room for what makes a name unique. */
const LONGEST_BASE = LONGEST - "_records_".length - HASH_DIGITS;

/** Names of the catalog, which is searched before a role's own schema. */
const CATALOG = /^pg_/;

/**
 * A view for each model, by name. A view keeps its name for as long as its model is there. `reserved` has the words that
 * SQL takes for something else.
 */
export function nameViews(
  models: readonly string[],
  known: Readonly<Record<string, string>>,
  reserved: ReadonlySet<string>,
): Record<string, string> {
  const wanted = new Set(models);
  const views = Object.fromEntries(Object.entries(known).filter(([, model]) => wanted.has(model)));
  const named = new Set(Object.values(views));
  for (const model of [...wanted].filter((model) => !named.has(model)).sort()) {
    views[newName(model, views, reserved)] = model;
  }
  return views;
}

function newName(
  model: string,
  taken: Readonly<Record<string, string>>,
  reserved: ReadonlySet<string>,
): string {
  const plain = toSnakeCase(model);
  const base = reserved.has(plain) || CATALOG.test(plain) ? `${plain}_records` : plain;
  let name = plain.length < LONGEST_BASE ? base : marked(base, model);
  for (let salt = 0; Object.hasOwn(taken, name); salt += 1) name = marked(base, `${model}${salt}`);
  return name;
}

/** `GithubIssue` is `github_issue`; what SQL would need quotes for becomes an underscore. */
function toSnakeCase(model: string): string {
  const words = model
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_/, "")
    .replace(/_$/, "")
    .slice(0, LONGEST_BASE);
  if (words === "") return "records";
  return /^[a-z]/.test(words) ? words : `records_${words}`.slice(0, LONGEST_BASE);
}

function marked(base: string, text: string): string {
  return `${base}_${createHash("sha256").update(text).digest("hex").slice(0, HASH_DIGITS)}`;
}
