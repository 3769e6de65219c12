import { execFile } from "node:child_process";
import { cp, mkdir, mkdtempDisposable, readdir, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { type Block, findBlocks, readBlocks } from "./run-page.ts";

const root = resolve(import.meta.dirname, "../..");
let pages: readonly { readonly name: string; readonly blocks: readonly Block[] }[];

beforeAll(async () => {
  const docs = await readdir(join(root, "docs"), { recursive: true });
  const names = docs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);
  pages = await Promise.all(
    ["README.md", ...names.toSorted()].map(async (name) => ({
      name,
      blocks: await readBlocks(name),
    })),
  );
});

/** What a block may be, and who looks at it: `pages.test.ts` runs `sh`, the tests below read the rest; `tests/clients` runs `go`. */
const languages = ["sh", "json", "yaml", "ts", "sql", "ini", "go", "text"];

// A command in a block of another language would not be run.
const command =
  /^\s*(?:\$ |(?:[A-Z_]+=\S+ )*(?:sudo|npm|npx|jackfield|curl|podman|docker|kubectl|psql|git|export)\b|(?:GET|POST|PUT|PATCH|DELETE) \/)/m;

test("each block says what it is, and each command is run or says why it is not", () => {
  expect(pages.flatMap(({ name, blocks }) => blocks.flatMap(findFaults(name)))).toEqual([]);
});

function findFaults(name: string): (block: Block) => string[] {
  return ({ language, text, notRun }) => {
    const at = `${name}: ${text.split("\n", 1)[0]}`;
    if (!languages.includes(language)) return [`${at} (language "${language}")`];
    if (language === "text" && command.test(text)) return [`${at} (a command that is not run)`];
    if (notRun !== undefined && notRun.split(" ").length < 3) return [`${at} (no reason)`];
    return [];
  };
}

test("a block without a language, a command as text and a mark without a reason are found", () => {
  const text = [
    "```\nls\n```",
    "```text\ncurl http://127.0.0.1\n```",
    "```text\nPOST /integrations\n```",
    "<!-- not run: slow -->\n```sh\nnpm ci\n```",
    "<!-- not run: needs a cluster -->\n```sh\nkubectl get pods\n```",
    "1. first\n\n   ```sh\n   jackfield version\n   ```",
  ].join("\n\n");

  const blocks = findBlocks(text);

  expect(blocks.flatMap(findFaults("page"))).toEqual([
    'page: ls (language "")',
    "page: curl http://127.0.0.1 (a command that is not run)",
    "page: POST /integrations (a command that is not run)",
    "page: npm ci (no reason)",
  ]);
  expect(blocks.at(-1)).toEqual({ language: "sh", text: "jackfield version\n" });
  expect(blocks[1]).toMatchObject({ follows: true });
});

test("what a page shows as JSON or YAML can be read as such", () => {
  const faulty = pages.flatMap(({ name, blocks }) =>
    blocks
      .filter(({ language, text }) => !isReadable(language, text))
      .map(({ text }) => `${name}: ${text}`),
  );

  expect(faulty).toEqual([]);
});

function isReadable(language: string, text: string): boolean {
  if (language === "yaml")
    return parseAllDocuments(text).every(({ errors }) => errors.length === 0);
  if (language !== "json") return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What the reader has by then; a page's example is about something else. */
const known: Readonly<Record<string, string>> = {
  "docs/agents.md": `
    declare const key: string;
    declare const model: string;
    declare const input: unknown[];
    declare const openai: {
      responses: { create(request: { model: string; input: unknown[]; tools: readonly object[] }):
        Promise<{ output: { type: "function_call"; name: string; call_id: string; arguments: string }[] }> };
    };
    declare const jackfield: import("@jackfield/node").Jackfield;`,
  "docs/connect.md": `
    declare const token: string;
    declare const jackfield: import("@jackfield/frontend").Jackfield;`,
  "docs/connections.md": `
    declare const jackfield: import("@jackfield/node").Jackfield;`,
  "docs/webhooks.md": `
    declare const rawBody: string;
    declare const request: Request;
    declare const jackfield: import("@jackfield/node").Jackfield;`,
};

test("TypeScript of the pages fits the types of the packages", { timeout: 120_000 }, async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "jackfield-docs-"));
  await symlink(join(root, "node_modules"), join(folder.path, "node_modules"));
  let count = 0;
  for (const { name, blocks } of pages) {
    const place = join(folder.path, name.replaceAll(/[/.]/g, "-"), "example");
    for (const { text } of blocks.filter(({ language }) => language === "ts")) {
      count += 1;
      await mkdir(place, { recursive: true });
      // What tests of a function project import.
      await cp(join(root, "packages/cli/template/crm"), join(place, ".."), { recursive: true });
      const isDeclared = /import \{ Jackfield \}/.test(text);
      const before = (known[name] ?? "").replace(isDeclared ? /^.*const jackfield:.*$/m : "", "");
      await writeFile(join(place, `${count}.ts`), `${text}${before}\nexport {};\n`);
    }
  }
  const compilerOptions = {
    ...{ module: "nodenext", target: "es2024", lib: ["es2024", "esnext", "dom", "dom.iterable"] },
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: ["node"] },
    customConditions: ["jackfield-source"],
    ...{ allowImportingTsExtensions: true, erasableSyntaxOnly: true },
  };
  const config = { compilerOptions, include: ["*/example/*.ts"] };
  await writeFile(join(folder.path, "tsconfig.json"), JSON.stringify(config));
  await writeFile(join(folder.path, "package.json"), '{"type":"module"}');

  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const output = await promisify(execFile)(
    process.execPath,
    [tsc, "-p", folder.path, "--checkers", "1", "--pretty", "false"],
    { cwd: folder.path },
  ).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  );

  expect(count).toBeGreaterThan(10);
  // The packages' own sources come along, which `npm run check` reads with its own options.
  expect(output.split("\n").filter((line) => line.includes("/example/"))).toEqual([]);
});
