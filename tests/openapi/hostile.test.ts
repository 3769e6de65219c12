import { readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createProject, type Project } from "./project.ts";

let project: Project;
beforeEach(async () => {
  project = await createProject();
});
afterEach(async () => await project[Symbol.asyncDispose]());

const bidi = "\u202e\u2066\u200b\u{e0041}\ufeff";
const texts = [
  "*/ globalThis.pwned = 1; /*",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what a document may say
  "`${globalThis.pwned = 1}`",
  '"); globalThis.pwned = 1; ("',
  '\\"}); globalThis.pwned = 1; //',
  "a\n});\nglobalThis.pwned = 1;\u2028\u2029\r\u0000",
  `${bidi}visible${bidi}`,
  "\ud800 half a pair",
  "</script><script>pwned()</script>",
];

/** A document with this text wherever a document has a text of its author's choice. */
function documentWith(text: string): string {
  const schema = {
    type: "object",
    title: text,
    description: text,
    required: ["kind"],
    properties: {
      kind: {
        type: "string",
        enum: [text, "other"],
        default: text,
        description: text,
        format: text,
        pattern: text,
      },
      list: { type: "array", items: { const: text, description: text } },
    },
  };
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: text, version: text },
    servers: [{ url: `https://x.example/${text}`, description: text }],
    paths: {
      "/things/{id}": {
        post: {
          operationId: "makeThing",
          summary: text,
          description: text,
          tags: [text],
          parameters: [
            {
              name: "id",
              in: "path",
              required: true,
              description: text,
              schema: { type: "string" },
            },
            { name: "q", in: "query", description: text, schema: { type: "string", enum: [text] } },
          ],
          requestBody: {
            required: true,
            description: text,
            content: { "application/json": { schema } },
          },
          responses: { 200: { description: text, content: { "application/json": { schema } } } },
        },
      },
    },
  });
}

test("no text of a document becomes code", async () => {
  for (const text of ["plain", ...texts]) {
    const source = await project.write("document.json", documentWith(text));
    await project.generate("crm", "--openapi", source, "--all", "--force", "--base-path", "/v1");
    const file = await project.read("crm/actions/make-thing.ts");
    const { program, errors, comments } = parseSync("make-thing.ts", file);

    expect(errors, file).toEqual([]);
    expect(comments.length).toBe(2);
    expect(program.body.map(({ type }) => type)).toEqual([
      ...Array(3).fill("ImportDeclaration"),
      "ExportDefaultDeclaration",
    ]);
    expect(callsOf(program).filter((name) => !knownCalls.has(name))).toEqual([]);
    expect(file).not.toMatch(/[\p{Cf}\p{Co}\p{Zl}\p{Zp}]|[^\P{Cc}\n]/u);
  }
});

/** What a source of this document may call; more would be somebody else's code. */
const knownCalls: ReadonlySet<string> = new Set([
  ...["array", "createAction", "describe", "enum", "literal", "looseObject", "object", "optional"],
  ...["pathPart", "post", "string", "toQuery"],
]);

function callsOf(node: unknown): string[] {
  const found = new Set<string>();
  JSON.stringify(node, (_key, value) => {
    if (value?.type === "AssignmentExpression") found.add("an assignment");
    if (value?.type === "CallExpression") {
      found.add(value.callee.name ?? value.callee.property?.name ?? "a call of something else");
    }
    return typeof value === "bigint" ? String(value) : value;
  });
  return [...found].toSorted();
}

test("names of a document neither leave the folder nor take each other's place", async () => {
  const ids = [
    "__proto__",
    "../../outside",
    "constructor",
    "Get Pet",
    "get_pet",
    "GETPET",
    "con",
    "",
    "..",
    "\u202e",
    "a".repeat(400),
    "日本",
    "index.ts\0.js",
    "C:\\x",
  ];
  const paths = Object.fromEntries(
    ids.map((id, index) => [`/p${index}`, { get: { operationId: id, responses: { 204: {} } } }]),
  );
  const source = await project.write(
    "document.json",
    JSON.stringify({ openapi: "3.0.0", info: {}, paths }),
  );

  const { written, refused } = await project.generate("crm", "--openapi", source, "--all");

  expect(refused).toEqual([]);
  const files = written.filter((path) => path !== "crm/openapi-request.ts");
  expect(new Set(files.map((path) => path.toLowerCase())).size).toBe(ids.length);
  for (const path of files) expect(path).toMatch(/^crm\/actions\/[a-z0-9][a-z0-9-]{0,59}\.ts$/);
  expect(await readdir(join(project.path, ".."))).not.toContain("outside.ts");
  const compiled = await project.run("compile");
  expect(compiled.code, compiled.stderr).toBe(0);
});

test("what cannot be sent as it is keeps an operation from being an action, with the reason", async () => {
  const get = { responses: { 200: {} } };
  const withParameter = (parameter: object) => ({ get: { ...get, parameters: [parameter] } });
  const paths = {
    "//evil.example/x": { get },
    "/a/../b": { get },
    "/a?b=c": { get },
    "/a/{id}": { get },
    "/a/`${globalThis.pwned}`\\": { get },
    "/cookie": withParameter({ name: "sid", in: "cookie", required: true }),
    "/unseen": withParameter({ name: "a\u200bb", in: "query", required: true }),
    "/header": withParameter({ name: "x\r\ny", in: "header", required: true }),
    "/other": { get: { ...get, servers: [{ url: "https://evil.example" }] } },
    "/ref": withParameter({ $ref: "https://evil.example/p.json" }),
    "/missing": withParameter({ $ref: "#/components/parameters/None" }),
    "/circle": withParameter({ $ref: "#/components/parameters/Circle" }),
    "/options": { options: get },
    "/fine": { get },
  };
  const components = { parameters: { Circle: { $ref: "#/components/parameters/Circle" } } };
  const servers = [{ url: "https://x.example" }];
  const document = { openapi: "3.0.0", info: {}, servers, paths, components };
  const source = await project.write("document.json", JSON.stringify(document));

  const { written, refused } = await project.generate("crm", "--openapi", source, "--all");

  expect(written).toEqual(["crm/openapi-request.ts", "crm/actions/get-fine.ts"]);
  expect(refused.map(({ reason }) => reason)).toEqual([
    'has the path "//evil.example/x", which is no path',
    'has the path "/a/../b", which is not the address of one thing',
    'has the path "/a?b=c", which is not the address of one thing',
    'does not say what the part "id" of its path is',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
    'has the path "/a/`${globalThis.pwned}`\\\\", which is not the address of one thing',
    'needs the parameter "sid" in cookie',
    'needs the parameter "ab", whose name cannot be sent as it is',
    'needs the parameter "x y", whose name cannot be sent as it is',
    "is at https://evil.example, not where the other operations are",
    'refers to "https://evil.example/p.json", which is not in the document',
    'refers to "#/components/parameters/None", which is not there',
    "refers to itself",
    "is OPTIONS, which functions do not send",
  ]);
});

test("files outside of the document's folder are not read, and a folder that is a link is not written to", async () => {
  const reference = { schema: { $ref: "../secret.json" } };
  const paths = {
    "/a": { post: { requestBody: { content: { "application/json": reference } }, responses: {} } },
  };
  const source = await project.write(
    "crm/document.json",
    JSON.stringify({ openapi: "3.0.0", paths }),
  );
  await project.write("secret.json", JSON.stringify({ type: "string", enum: ["secret"] }));

  const refused = await project.run(
    "generate",
    "actions",
    "crm",
    "--openapi",
    source,
    "--all",
    "--json",
  );
  await symlink("..", join(project.path, "elsewhere"));
  const linked = await project.run(
    "generate",
    "actions",
    "elsewhere",
    "--openapi",
    source,
    "--all",
  );

  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain("../secret.json");
  expect(refused.stdout).not.toContain('"secret"');
  expect(linked.stderr).toContain("is a link to a folder outside of the project");
});

test("a graph of anchors, and values inside each other without end, are refused with their limit", async () => {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let index = 1; index < 12; index += 1) {
    lines.push(
      `a${index}: &a${index} [${Array(10)
        .fill(`*a${index - 1}`)
        .join(", ")}]`,
    );
  }
  const bomb = await project.write("bomb.yaml", `openapi: 3.0.0\n${lines.join("\n")}\npaths: {}\n`);
  const deep = await project.write(
    "deep.json",
    `{"openapi":"3.0.0","paths":${'{"a":'.repeat(5000)}1${"}".repeat(5001)}`,
  );

  const outcomes = await Promise.all(
    [bomb, deep].map((path) =>
      project.run("generate", "actions", "crm", "--openapi", path, "--all"),
    ),
  );

  for (const { code, stderr } of outcomes)
    expect([code, stderr]).toEqual([1, expect.stringContaining("too large")]);
});
