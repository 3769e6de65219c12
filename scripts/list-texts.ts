// `npm run texts`: every text that users may read, a line each with its place, to be read as a whole by an editor.
// `npm run texts -- docs` lists the lines of the pages as well.
import { parseSync } from "oxc-parser";
import { readTree } from "./checks/tree.ts";

const source = /^packages\/(?!simulator\/)[^/]+\/src\/.*\.(?:ts|tsx)$|^scripts\/(?!checks|bench)/;
const internal = /\.test\.tsx?$|\/testing\/|\/escapes\/|store\.ts$/;
const prose = /[A-Za-z]{2} [A-Za-z`"$].{3,}? \S/;
const code =
  /^\s*(?:select|insert|update|delete|with|create|alter|drop|import|const|from|where)\b/i;

const withDocs = process.argv.includes("docs");
for (const [path, text] of [...(await readTree())].toSorted(([a], [b]) => a.localeCompare(b))) {
  if (withDocs && /^(?:docs\/|README)/.test(path) && path.endsWith(".md")) print(path, text, 0);
  if (source.test(path) && !internal.test(path)) listLiterals(path, text);
}

function listLiterals(path: string, text: string): void {
  const { program } = parseSync(path, text);
  walk(program, (node) => {
    if (node["type"] === "Literal" && typeof node["value"] === "string")
      show(path, text, node, node["value"]);
    if (node["type"] === "TemplateLiteral")
      show(path, text, node, text.slice(Number(node["start"]) + 1, Number(node["end"]) - 1));
    if (node["type"] === "JSXText" && typeof node["value"] === "string")
      show(path, text, node, node["value"].trim());
  });
}

type Node = Readonly<Record<string, unknown>>;

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) walk(each, visit);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const node: Node = { ...value };
  if (typeof node["type"] === "string") visit(node);
  for (const child of Object.values(node)) if (typeof child === "object") walk(child, visit);
}

function show(path: string, text: string, { start }: Node, value: string): void {
  if (!prose.test(value) || code.test(value)) return;
  print(path, value, text.slice(0, Number(start)).split("\n").length);
}

function print(path: string, text: string, line: number): void {
  const lines = text.split("\n").filter((each) => each.trim() !== "");
  for (const [index, each] of lines.entries())
    console.log(`${path}:${line + index}: ${each.trim()}`);
}
