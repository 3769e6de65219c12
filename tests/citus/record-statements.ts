// Set-up of every test file (promise U10): statements about distributed tables that the server's code sends are kept
// for `hold-statements.ts`, which holds each against a schema of several servers at the end of the run.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { serialize } from "node:v8";
import pg from "pg";
import { inject } from "vitest";
import { isPreparedName } from "../../packages/server/src/foundation/testing/administer.ts";
import { columnsOf, groups } from "./distributed-tables.ts";
import { namesTable } from "./find-traps.ts";

/** A statement as it was sent. */
export interface SentStatement {
  readonly text: string;
  /** Its parameters, serialized, in base64. */
  readonly values: string;
  /** Where the server's code sends it: file and function. */
  readonly from: string;
  /** Sent to a database that `deploy/citus/prepare.sql` has made ready. */
  readonly isPrepared: boolean;
}

const tables = [...columnsOf(groups).keys()];
const mentions = new RegExp(`\\b(?:${tables.join("|")})(?:_default|_(?:until_)?\\d{8})?\\b`);
const partition = new RegExp(`\\b(${tables.join("|")})_(?:default|(?:until_)?\\d{8})\\b`, "g");
/** Not what makes, moves or locks tables: that is the business of migrations and of partitions. */
const isQuery = /^\s*(?:set local [^;]*;)?\s*(?:with|select|insert|update|delete|copy)\b/i;
const FRAMES = 60;
/** Texts that were sent before are not read again; there are fewer, and few are longer. */
const MOST_TEXTS = 20_000;
const LONGEST_TEXT = 20_000;
/**
 * Of a statement with lists of several values, so many are kept, and later ones whose lists are twice as long as any before:
 * few values may happen to lie on one server. With empty lists and with single values it is kept once each.
 */
const MOST_LISTS = 3;
/** In each script that prepares a schema. */
const PREPARING = "create table if not exists two_phase_guard";

watchStatements(inject("testRun").folder);

/** Files share a process: the first one watches for all. */
function watchStatements(folder: string): void {
  const { query } = pg.Client.prototype;
  if (Object.hasOwn(query, "isWatched")) return;
  const seen: Seen = { others: new Set(), kept: new Map(), prepared: new Set() };
  const watched = function (this: unknown, ...given: readonly unknown[]): unknown {
    note(given, { seen, folder, database: databaseOf(this) });
    return Reflect.apply(query, this, given);
  };
  Object.defineProperty(watched, "isWatched", { value: true });
  Object.defineProperty(pg.Client.prototype, "query", {
    value: watched,
    configurable: true,
    writable: true,
  });
}

interface Seen {
  /** Texts that are of no interest. */
  readonly others: Set<string>;
  /** How often statements were kept, and their longest list, by their text without literals, the shape of their values, and the schema. */
  readonly kept: Map<string, { readonly count: number; readonly longest: number }>;
  /** Databases that were prepared by a test. */
  readonly prepared: Set<string>;
}

interface Watched {
  readonly seen: Seen;
  readonly folder: string;
  readonly database: string;
}

function note([given, listed]: readonly unknown[], { seen, folder, database }: Watched): void {
  const text = textOf(given);
  if (text === undefined || seen.others.has(text)) return;
  if (text.includes(PREPARING)) seen.prepared.add(database);
  if (!isAboutTables(text)) {
    if (text.length <= LONGEST_TEXT && seen.others.size < MOST_TEXTS) seen.others.add(text);
    return;
  }
  const values = plainValues(given, listed);
  const shape = shapeOf(values);
  const isPrepared = isPreparedName(database) || seen.prepared.has(database);
  const key = `${isPrepared} ${shape} ${withoutLiterals(toParents(text))}`;
  const { count, longest } = seen.kept.get(key) ?? { count: 0, longest: 0 };
  const length = Math.max(0, ...values.map((value) => (Array.isArray(value) ? value.length : 0)));
  const isEnough = shape.includes("n") ? count >= MOST_LISTS && length < 2 * longest : count > 0;
  if (isEnough) return;
  const from = findSender();
  // What tests themselves ask is theirs; the server may send the same later.
  if (from === undefined) return;
  seen.kept.set(key, { count: count + 1, longest: Math.max(longest, length) });
  const line: SentStatement = {
    ...{ text: toParents(text), values: serialize(values).toString("base64"), from, isPrepared },
  };
  appendFileSync(join(folder, `statements-${process.pid}.lines`), `${JSON.stringify(line)}\n`);
}

function databaseOf(client: unknown): string {
  return client instanceof pg.Client ? (client.database ?? "") : "";
}

function isAboutTables(text: string): boolean {
  if (!isQuery.test(text) || !mentions.test(text)) return false;
  const plain = toParents(text).replace(/\s+/g, " ").replace(/"/g, "");
  return tables.some((table) => namesTable(plain, table));
}

/** Partitions lie as their tables do. */
function toParents(text: string): string {
  return text.replace(partition, "$1");
}

/** A letter for each value: `0` an empty list, `1` a list of one, `n` a longer one, `v` any other. */
function shapeOf(values: readonly unknown[]): string {
  return values
    .map((value) => {
      if (!Array.isArray(value)) return "v";
      return value.length > 1 ? "n" : `${value.length}`;
    })
    .join("");
}

function withoutLiterals(text: string): string {
  return text.replace(/'(?:[^']|'')*'|\b\d+\b/g, "?");
}

function textOf(given: unknown): string | undefined {
  if (typeof given === "string") return given;
  const text = given && typeof given === "object" && "text" in given ? given.text : undefined;
  return typeof text === "string" ? text : undefined;
}

function plainValues(given: unknown, listed: unknown): unknown[] {
  const inside = given && typeof given === "object" && "values" in given ? given.values : undefined;
  const values = Array.isArray(listed) ? listed : inside;
  return Array.isArray(values) ? values.filter((value) => typeof value !== "function") : [];
}

/** The function in the server's source that sends the statement; undefined for a test, and for a migration. */
function findSender(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const { stack = "" } = new Error("where from");
  Error.stackTraceLimit = stackTraceLimit;
  for (const line of stack.split("\n").slice(1)) {
    const found = /at (?:async )?(\S+) .*\/packages\/server\/src\/([^:?]+)[:?]/.exec(line);
    const [, name = "", file = ""] = found ?? [];
    if (file.startsWith("foundation/db/migrations/")) return undefined;
    if (file === "" || file.startsWith("foundation/db/")) continue;
    if (file.includes(".test.") || file.includes("/testing/")) return undefined;
    return `${file} ${name}`;
  }
  return undefined;
}
