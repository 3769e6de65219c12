import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { listCommands } from "./list-commands.ts";
import { createProgram } from "./program.ts";
import { startJackfield } from "./testing/run-jackfield.ts";
import { exitCodes } from "./user-error.ts";

const page = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");

const commands = listCommands(await createProgram());

test.each(commands)(
  "docs/cli.md tells all options of %s, and none that it lacks",
  (name, command) => {
    const section =
      new RegExp(`^### ${name}\\n([\\s\\S]*?)(?=^##)`, "m").exec(`${page}\n##`)?.[1] ?? "";
    const reported = [...section.matchAll(/^\| `(--[a-z-]+)[^|]*\|/gm)].map(([, option]) => option);
    const known = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long);

    expect(section).toContain(command.description());
    expect(reported.toSorted()).toEqual(known.toSorted());
  },
);

test("a letter that names an integration, a sync, an action or an environment names it in every command", () => {
  const meanings = commands
    .flatMap(([, { options }]) => options)
    .filter(({ short }) => ["-i", "-s", "-a", "-e"].includes(short ?? ""))
    .map(({ flags }) => flags);

  expect([...new Set(meanings)].toSorted()).toEqual([
    "-a, --action <name>",
    "-e, --environment <name>",
    "-i, --integration <id>",
    "-s, --sync <name>",
  ]);
});

test("docs/cli.md tells every exit code and no other", () => {
  const table = /## Exit codes\n([\s\S]*?)(?=^## )/m.exec(`${page}\n## `)?.[1] ?? "";
  const reported = [...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));

  expect(reported).toEqual(Object.values(exitCodes));
});

/** The files that a program has loaded once it knows its commands. */
async function filesOf(argv: readonly string[]): Promise<string> {
  const program = new URL("./program.ts", import.meta.url);
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    await (await import(${JSON.stringify(program.href)})).createProgram(${JSON.stringify(argv)});
    console.log(loaded.join("\\n"));`;
  const args = ["--conditions=jackfield-source", "--input-type=module", "-e", script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout;
}

test("commands are there before the server and the compiler are loaded", async () => {
  const files = await filesOf([]);

  expect(files).toContain("/commander/");
  expect(
    files.match(/.*\/(packages\/server\/|pg\/|fastify\/|esbuild\/|typescript\/).*/g),
  ).toBeNull();
});

test("a command loads what is its own, and nothing of the others", async () => {
  const files = await filesOf(["version"]);

  expect(files.match(/commands\/.*/g)).toEqual(["commands/version.ts"]);
  expect(files.match(/.*\/(packages\/(?!cli\/)|zod\/|yaml\/).*/g)).toBeNull();
});

test("a command whose reader has ended, such as head, ends without a word", async () => {
  const child = startJackfield({ cwd: tmpdir(), args: ["version"] });
  child.stdout?.destroy();
  const said = await text(child.stderr ?? Readable.from([]));
  if (child.exitCode === null) await once(child, "exit");

  expect([child.exitCode, said]).toEqual([exitCodes.readerGone, ""]);
});
