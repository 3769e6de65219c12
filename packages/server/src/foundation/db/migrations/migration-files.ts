import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

/** How the statements of a migration run; `docs/decisions/0012-migrations.md` tells when to use which. */
export const migrationModes = ["transaction", "concurrently", "generated", "batches"] as const;
export type MigrationMode = (typeof migrationModes)[number];

export interface Migration {
  /** File name, `0002_what.sql`: its order and its identity. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the text, hexadecimal. */
  readonly checksum: string;
  readonly mode: MigrationMode;
  /** Number of the oldest migration whose server works on the schema that this one leaves. */
  readonly compatibleSince: string;
}

const migrationsFolder = new URL("../../../../migrations/", import.meta.url);
/** What a server knew that was released before migrations said whom they leave working. */
const FOUNDATION = "0001";

/** The migrations of this version, in order. */
export async function readMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(migrationsFolder)).filter((name) => name.endsWith(".sql")).sort();
  return await Promise.all(
    names.map(async (name) =>
      toMigration(name, await readFile(new URL(name, migrationsFolder), "utf8")),
    ),
  );
}

/** Reads the header, comment lines at the top: `-- compatible since: 0001` and, but for the usual mode, `-- mode: batches`. */
export function toMigration(name: string, sql: string): Migration {
  const header = readHeader(sql);
  const compatibleSince =
    header.get("compatible since") ?? (numberOf(name) === FOUNDATION ? FOUNDATION : undefined);
  if (compatibleSince === undefined || !/^\d{4}$/.test(compatibleSince)) {
    throw new Error(`${name} has no line "-- compatible since: 0001"`);
  }
  return {
    name,
    sql,
    checksum: checksumOf(sql),
    mode: toMode(name, header.get("mode") ?? "transaction"),
    compatibleSince,
  };
}

/** `0002` of `0002_what.sql`. */
export function numberOf(name: string): string {
  return name.slice(0, 4);
}

/** The same for a checkout with either kind of line ends. */
export function checksumOf(sql: string): string {
  return createHash("sha256").update(sql.replaceAll("\r\n", "\n")).digest("hex");
}

/** Statements of a file that does not run as one: each ends with a semicolon at the end of a line. */
export function toStatements(sql: string): string[] {
  return sql
    .split(/;[ \t]*\r?\n/)
    .map((statement) => statement.replace(/^[ \t]*--.*$/gm, "").trim())
    .filter((statement) => statement !== "");
}

function readHeader(sql: string): Map<string, string> {
  const header = new Map<string, string>();
  for (const line of sql.split(/\r?\n/)) {
    if (!line.startsWith("--")) break;
    const [name = "", value] = line.slice(2).split(":", 2);
    if (value !== undefined) header.set(name.trim(), value.trim());
  }
  return header;
}

function toMode(name: string, mode: string): MigrationMode {
  const known = migrationModes.find((known) => known === mode);
  if (known === undefined) throw new Error(`${name} has an unknown mode: ${mode}`);
  return known;
}
