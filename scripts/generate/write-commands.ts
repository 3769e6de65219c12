import { listCommands, type NamedCommand } from "../../packages/cli/src/list-commands.ts";
import { createProgram } from "../../packages/cli/src/program.ts";

type Option = NamedCommand[1]["options"][number];

const TABLE_HEAD = "| option | |\n|---|---|";
/** A row of a table of options, with the long name of its option. */
const optionRow = /^\| `(--[a-z-]+)/;

/**
 * The page of the command line with a section for each command, and a row for each of its options. What the page says
 * of a command or an option stays as it is; what no command has is removed from the tables.
 */
export async function writeCommands(page: string): Promise<string> {
  const commands = listCommands(await createProgram());
  let written = page;
  let last = "";
  for (const named of commands) {
    written = writeCommand(written, named, last);
    last = named[0];
  }
  return written;
}

function writeCommand(page: string, [name, command]: NamedCommand, last: string): string {
  const options = command.options.filter(({ hidden }) => !hidden);
  const heading = `\n### ${name}\n`;
  const start = page.indexOf(heading);
  if (start === -1) {
    const at = endOfSection(page, page.indexOf(`\n### ${last}\n`));
    const table =
      options.length > 0 ? `\n${TABLE_HEAD}\n${options.map(writeOption).join("\n")}\n` : "";
    const section = `${heading}\n\`jackfield ${name}\`: ${command.description()}\n${table}`;
    return page.slice(0, at) + section + page.slice(at);
  }
  const end = endOfSection(page, start);
  const section = page.slice(start, end);
  return page.slice(0, start) + writeTable(section, options) + page.slice(end);
}

/** Where the section that begins at a place ends: at the next heading, or at the end of the page. */
function endOfSection(page: string, start: number): number {
  const next = page.slice(start + 1).search(/\n##/);
  return next === -1 ? page.length : start + 1 + next;
}

function writeTable(section: string, options: readonly Option[]): string {
  const lines = section.split("\n");
  const rows = new Map(lines.flatMap((line) => rowOf(line)));
  const missing = options.filter(({ long }) => !rows.has(long ?? ""));
  const known = new Set(options.map(({ long }) => long));
  const hasUnknown = [...rows.keys()].some((long) => !known.has(long));
  if (missing.length === 0 && !hasUnknown) return section;
  const table = options.map((option) => rows.get(option.long ?? "") ?? writeOption(option));
  const first = lines.findIndex((line) => optionRow.test(line));
  if (first === -1) return `${section.trimEnd()}\n\n${TABLE_HEAD}\n${table.join("\n")}\n`;
  const others = lines.filter((line) => !optionRow.test(line));
  return [...others.slice(0, first), ...table, ...others.slice(first)].join("\n");
}

function rowOf(line: string): [string, string][] {
  const long = optionRow.exec(line)?.[1];
  return long === undefined ? [] : [[long, line]];
}

function writeOption({ short, flags, description, defaultValue }: Option): string {
  const long = flags.replace(/^-\w, /, "");
  const names = short === undefined ? `\`${long}\`` : `\`${long}\`, \`${short}\``;
  const usual =
    typeof defaultValue === "string" || typeof defaultValue === "number"
      ? ` (default: \`${defaultValue}\`)`
      : "";
  return `| ${names} | ${description}${usual} |`;
}
