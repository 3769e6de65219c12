import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { writeCommands } from "../../scripts/generate/write-commands.ts";

const page = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");

test("the page of the command line stays as it is while it has all commands and options", async () => {
  expect(await writeCommands(page)).toBe(page);
});

test("the page gets a section for a command that it lacks, after the command before it", async () => {
  const section = /\n### integrations funnel\n[\s\S]*?(?=\n##)/.exec(page)?.[0] ?? "";
  const written = await writeCommands(page.replace(section, ""));

  expect(section).not.toBe("");
  expect(written.match(/^### .*$/gm)).toEqual(page.match(/^### .*$/gm));
  expect(written).toContain(
    "`jackfield integrations funnel`: show how far end users came when they connected, by integration\n" +
      "\n| option | |\n|---|---|\n| `--environment <name>`, `-e` | environment of the integrations (default: `dev`) |\n",
  );
});

test("a table loses an option that no command has, and gets the one that it lacks", async () => {
  const row = "| `--to <day>` | last day (default: today) |\n";
  const written = await writeCommands(page.replace(row, "| `--until <day>` | last day |\n"));

  expect(page).toContain(row);
  expect(written).toBe(page);
});

test("the page gets the table of a command whose section has none", async () => {
  const table = /(\n### links revoke\n[\s\S]*?\n)\n\| option \| \|\n[\s\S]*?(?=\n##)/.exec(page);
  const [whole = "", before = ""] = table ?? [];
  const written = await writeCommands(page.replace(whole, before));

  expect(whole).not.toBe("");
  expect(written).toContain(`${before}\n| option | |\n|---|---|\n| \``);
});
