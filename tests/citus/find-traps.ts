import { columnsOf, type Group } from "./distributed-tables.ts";

/** What Citus refuses in the text of a statement, or routes wrongly; a line each. */
export function findTraps(text: string, groups: readonly Group[]): string[] {
  const statement = readStatement(text, columnsOf(groups));
  if (statement.named.length === 0) return [];
  return [...new Set(traps.flatMap((trap) => trap(statement, groups)))];
}

interface Statement {
  /** In small letters, without comments, with empty texts; white space is single. */
  readonly text: string;
  readonly columns: ReadonlyMap<string, string>;
  /** Distributed tables that it names. */
  readonly named: readonly string[];
  readonly changes: readonly Change[];
}

interface Change {
  readonly table: string;
  /** From the table's name to the end of the part of the statement that is about it. */
  readonly part: string;
}

function readStatement(text: string, columns: ReadonlyMap<string, string>): Statement {
  const plain = text
    .replace(/--[^\n]*/g, " ")
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/["`]/g, "")
    .replace(/\s+/g, " ")
    .toLowerCase();
  const named = [...columns.keys()].filter((table) => namesTable(plain, table));
  return { text: plain, columns, named, changes: [...listChanges(plain)] };
}

/** As a table of a query, not as a column or an alias. */
export function namesTable(text: string, table: string): boolean {
  return new RegExp(`\\b(?:from|join|into|update|only|using|,) ${table}\\b(?! as \\()`).test(text);
}

function* listChanges(text: string): Generator<Change> {
  for (const match of text.matchAll(
    /\b(?:insert into|delete from|(?<!do |for |key )update) (?:only )?(\w+)/g,
  )) {
    const [, table = ""] = match;
    if (table !== "set") yield { table, part: partFrom(text, match.index) };
  }
}

/** Up to the bracket that ends it. */
function partFrom(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    if (depth < 0) return text.slice(start, at);
  }
  return text.slice(start);
}

/** The innermost brackets around a position, or the whole. */
function bracketsAround(text: string, at: number): string {
  let depth = 0;
  for (let start = at; start >= 0; start -= 1) {
    if (text[start] === ")") depth += 1;
    if (text[start] !== "(") continue;
    if (depth === 0) return partFrom(text, start + 1);
    depth -= 1;
  }
  return text;
}

type Trap = (statement: Statement, groups: readonly Group[]) => string[];

const traps: readonly Trap[] = [
  findMovedRows,
  findUnstableTimes,
  findLocksWithoutColumn,
  findSettingsAlong,
  findLaterals,
  findMixedChanges,
  findReadsOfFirstServer,
  findInsertsInside,
];

/** A row cannot move to another server. */
function findMovedRows({ changes, columns }: Statement): string[] {
  return changes.flatMap(({ table, part }) => {
    const column = columns.get(table);
    const set = /\bset (.*?)(?: from | where | returning |$)/.exec(part)?.[1] ?? "";
    const isSet = column !== undefined && new RegExp(`(?:^|, ?)${column} ?=`).test(set);
    return isSet ? [`sets ${table}.${column}`] : [];
  });
}

/** `timestamptz + interval` depends on the session's time zone: Citus refuses it over columns of a change. */
function findUnstableTimes({ changes, columns }: Statement): string[] {
  return changes.flatMap(({ table, part }) => {
    if (!columns.has(table) || part.startsWith("delete")) return [];
    const found =
      /\b(?:\w+\.)?\w+_(?:at|until|since|through) ?[+-] ?(?:interval|make_interval|\(|\$)/.exec(
        part,
      );
    return found === null
      ? []
      : [`changes ${table} by a time that depends on the session: ${found[0]}`];
  });
}

/** Whether a query names one value of the column. */
function isKeyed(query: string, column: string): boolean {
  return new RegExp(`\\b${column} = (?:\\$\\d+|''|\\d+)`).test(query);
}

const LOCKS = /\bfor (?:no key )?(?:update|share|key share)\b/;

function findLocksWithoutColumn({ text, columns }: Statement): string[] {
  return [...text.matchAll(new RegExp(LOCKS, "g"))].flatMap((match) => {
    const query = bracketsAround(text, match.index);
    return [...columns].flatMap(([table, column]) => {
      if (!namesTable(query, table)) return [];
      return isKeyed(query, column) ? [] : [`locks rows of ${table} without ${column}`];
    });
  });
}

/** The coordinator sends a message of several statements on as one, without their order. */
function findSettingsAlong({ text }: Statement): string[] {
  const isSetting = /\bset_config ?\(/.test(text) || /^ ?set (?:local )?\w+/.test(text);
  return isSetting ? ["sets a parameter in one message with a query"] : [];
}

function findLaterals({ text, named, columns }: Statement): string[] {
  const ctes = [
    ...text.matchAll(
      /(?:\bwith(?: recursive)?|,) (\w+)(?: ?\([\w, ]*\))? as (?:not )?(?:materialized )?\(/g,
    ),
  ];
  return ctes.flatMap(([, name = ""]) => {
    const lateral = new RegExp(
      `\\b(?:from|join) ${name}(?: (?:as )?\\w+)?(?: cross| left| inner)? join lateral \\(`,
    );
    const match = lateral.exec(text);
    if (match === null) return [];
    const body = partFrom(text, match.index + match[0].length);
    return named.some(
      (table) => namesTable(body, table) && !isKeyed(body, columns.get(table) ?? ""),
    )
      ? [`looks rows up by a lateral over the common table expression ${name}`]
      : [];
  });
}

function findMixedChanges({ changes }: Statement, groups: readonly Group[]): string[] {
  const kinds = new Set(
    changes.map(({ table }) => groups.find(({ tables }) => Object.hasOwn(tables, table))?.name),
  );
  if (kinds.size < 2) return [];
  return [`changes tables that lie apart: ${changes.map(({ table }) => table).join(", ")}`];
}

/** A change of a distributed table, or a lock of its rows, that has to look at the first server. */
function findReadsOfFirstServer({ text, changes, columns, named }: Statement): string[] {
  const isChange = changes.some(({ table }) => columns.has(table));
  if (!isChange && (named.length === 0 || !LOCKS.test(text))) return [];
  return firstServer.flatMap((table) =>
    namesTable(text, table)
      ? [`${isChange ? "changes" : "locks rows of"} a distributed table and reads ${table}`]
      : [],
  );
}

/** Of what a common table expression changes, Citus takes updates and deletions only. */
function findInsertsInside({ text, named }: Statement): string[] {
  if (named.length === 0) return [];
  return [...text.matchAll(/\bas (?:not )?(?:materialized )?\( ?insert into (\w+)/g)].map(
    ([, table = ""]) => `inserts into ${table} within a common table expression`,
  );
}

/** Tables of the first server that statements about distributed tables have named. */
const firstServer = [
  "accounts",
  "connections",
  "due_notes",
  "environments",
  "inbox_usage",
  "integrations",
  "record_environments",
];
