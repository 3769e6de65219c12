// Set-up of every test file (promise U10): statements about distributed tables that the server's code sends are kept
// for `hold-statements.ts`, which holds each against a schema of several servers at the end of the run.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { serialize } from "node:v8";
import pg from "pg";
import { inject } from "vitest";
import { columnsOf, groups } from "./distributed-tables.ts";
import { namesTable } from "./find-traps.ts";

/** A statement as it was sent. */
export interface SentStatement {
  readonly text: string;
  /** Its parameters, serialized, in base64. */
  readonly values: string;
  /** Where the server's code sends it: file and function. */
  readonly from: string;
}

const tables = [...columnsOf(groups).keys()];
const mentions = new RegExp(`\\b(?:${tables.join("|")})\\b`);
/** Not what makes, moves or locks tables: that is the business of migrations and of partitions. */
const isQuery = /^\s*(?:set local [^;]*;)?\s*(?:with|select|insert|update|delete|copy)\b/i;
const FRAMES = 60;
/** Texts that were sent before are not read again; there are fewer, and few are longer. */
const MOST_TEXTS = 20_000;
const LONGEST_TEXT = 20_000;

watchStatements(inject("testRun").folder);

/** Files share a process: the first one watches for all. */
function watchStatements(folder: string): void {
  const { query } = pg.Client.prototype;
  if (Object.hasOwn(query, "isWatched")) return;
  const seen = { texts: new Set<string>(), statements: new Set<string>() };
  const watched = function (this: unknown, ...given: readonly unknown[]): unknown {
    note(given, seen, folder);
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
  readonly texts: Set<string>;
  /** Texts without their literals. */
  readonly statements: Set<string>;
}

function note([given, listed]: readonly unknown[], seen: Seen, folder: string): void {
  const text = textOf(given);
  if (text === undefined || seen.texts.has(text)) return;
  if (isToKeep(text, seen)) {
    const from = findSender();
    // What tests themselves ask is theirs; the server may send the same later.
    if (from === undefined) return;
    seen.statements.add(withoutLiterals(text));
    const values = serialize(plainValues(given, listed)).toString("base64");
    const line: SentStatement = { text, values, from };
    appendFileSync(join(folder, `statements-${process.pid}.lines`), `${JSON.stringify(line)}\n`);
  }
  if (text.length <= LONGEST_TEXT && seen.texts.size < MOST_TEXTS) seen.texts.add(text);
}

function isToKeep(text: string, { statements }: Seen): boolean {
  if (!isQuery.test(text) || !mentions.test(text)) return false;
  if (statements.has(withoutLiterals(text))) return false;
  const plain = text.replace(/\s+/g, " ");
  return tables.some((table) => namesTable(plain, table));
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
    if (file.startsWith("platform/db/migrations/")) return undefined;
    if (file === "" || file.startsWith("platform/db/")) continue;
    if (file.includes(".test.") || file.includes("/testing/")) return undefined;
    return `${file} ${name}`;
  }
  return undefined;
}
