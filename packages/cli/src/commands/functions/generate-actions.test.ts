import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runJackfield } from "../../testing/run-jackfield.ts";
import { createTestFolder, type TestFolder } from "../../testing/test-folder.ts";

// Slow where many share a core.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: TestFolder;
beforeEach(async () => {
  folder = await createTestFolder();
  await runJackfield({ cwd: folder.path, args: ["init"] });
});
afterEach(async () => await folder[Symbol.asyncDispose]());

const run = async (...args: string[]) => await runJackfield({ cwd: folder.path, args });
const generate = async (...args: string[]) => await run("generate", "actions", "shop", ...args);
const at = (path: string) => join(folder.path, path);
const read = async (path: string) => await readFile(at(path), "utf8");

const response = {
  responses: { 200: { description: "", content: { "application/json": { schema: {} } } } },
};
const document = {
  openapi: "3.0.3",
  info: { title: "Shop", version: "2" },
  servers: [{ url: "https://{region}.shop.example/v2/", variables: { region: { default: "eu" } } }],
  paths: {
    "/orders": {
      get: { operationId: "listOrders", tags: ["orders"], summary: "List orders", ...response },
      post: { operationId: "createOrder", tags: ["orders"], ...response },
    },
    "/orders/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      delete: {
        operationId: "deleteOrder",
        tags: ["orders"],
        responses: { 204: { description: "" } },
      },
    },
    "/search": { post: { tags: ["search"], ...response } },
  },
};

async function writeDocument(content: object = document): Promise<string> {
  await writeFile(at("shop.json"), JSON.stringify(content));
  return "shop.json";
}

test("operations are chosen by tag, name and path, and a choice is needed", async () => {
  const source = await writeDocument();
  const listed = async (...args: string[]) => {
    const { stdout } = await generate("--openapi", source, "--dry-run", "--json", ...args);
    return JSON.parse(stdout).written.slice(1);
  };

  const byTag = await listed("--tag", "search");
  const byName = await listed("--operation", "createOrder", "delete-order", "POST /search");
  const byPath = await listed("--path", "/orders/");
  const all = await listed("--all");
  const nothing = await generate("--openapi", source);
  const unknown = await generate("--openapi", source, "--tag", "orders", "none");

  expect(byTag).toEqual(["shop/actions/post-search.ts"]);
  expect(byName).toEqual(
    ["create-order", "delete-order", "post-search"].map((name) => `shop/actions/${name}.ts`),
  );
  expect(byPath).toEqual(["shop/actions/delete-order.ts"]);
  expect(all).toHaveLength(4);
  expect(nothing).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("  orders (3)\n  search (1)"),
  });
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("no tag none") });
  await expect(read("shop/actions/post-search.ts")).rejects.toThrow("ENOENT");
});

test("a file that somebody changed is kept, others follow the document, and nothing is imported twice", async () => {
  const source = await writeDocument();
  await generate("--openapi", source, "--tag", "orders");
  const first = await read("shop/actions/list-orders.ts");
  await writeFile(
    at("shop/actions/list-orders.ts"),
    first.replace("List orders", "Lists all orders"),
  );
  const newer = JSON.stringify(document).replace('"version":"2"', '"version":"3"');
  await writeDocument(JSON.parse(newer));

  const again = await generate("--openapi", source, "--tag", "orders", "--json");
  const reported = await generate("--openapi", source, "--tag", "orders");
  const index = await read("index.ts");
  const kept = await read("shop/actions/list-orders.ts");
  const forced = await generate("--openapi", source, "--tag", "orders", "--force", "--json");

  expect(JSON.parse(again.stdout)).toMatchObject({
    written: ["shop/actions/create-order.ts", "shop/actions/delete-order.ts"],
    unchanged: ["shop/openapi-request.ts"],
    kept: ["shop/actions/list-orders.ts"],
  });
  expect(reported.stdout).toContain("--force replaces them):\n  shop/actions/list-orders.ts");
  expect(kept).toContain("Lists all orders");
  expect(index.match(/list-orders/g)).toHaveLength(1);
  expect(JSON.parse(forced.stdout).written).toEqual(["shop/actions/list-orders.ts"]);
  expect(await read("shop/actions/list-orders.ts")).not.toContain("Lists all orders");
});

test("effects follow the method unless they are given, and paths the server of the document", async () => {
  const source = await writeDocument();

  await generate("--openapi", source, "--all", "--effect", "POST /search=read");
  const files = await Promise.all(
    ["list-orders", "create-order", "delete-order", "post-search"].map((name) =>
      read(`shop/actions/${name}.ts`),
    ),
  );
  const wrong = await generate("--openapi", source, "--all", "--effect", "listOrders=reads");
  await generate("--openapi", source, "--all", "--base-path", "/");
  const compiled = await run("compile");

  expect(files.map((text) => /effect: "(\w+)"/.exec(text)?.[1])).toEqual([
    "read",
    "write",
    "destructive",
    "read",
  ]);
  expect(files[0]).toContain('endpoint: "/v2/orders"');
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--effect listOrders=reads"),
  });
  expect(await read("shop/actions/list-orders.ts")).toContain('endpoint: "/orders"');
  expect(compiled.code, compiled.stderr).toBe(0);
});

test("a local document's own files are read, and what holds itself is left open", async () => {
  const order = {
    type: "object",
    required: ["id"],
    properties: {
      id: { type: "string" },
      parts: { type: "array", items: { $ref: "#/definitions/order" } },
    },
  };
  await mkdir(at("parts"));
  await writeFile(at("parts/order.yaml"), JSON.stringify({ definitions: { order } }));
  const schema = { $ref: "parts/order.yaml#/definitions/order" };
  const body = { required: true, content: { "application/json": { schema } } };
  const source = await writeDocument({
    ...document,
    paths: { "/orders": { post: { operationId: "createOrder", requestBody: body, ...response } } },
  });

  const { code, stderr } = await generate("--openapi", source, "--all");

  expect(code, stderr).toBe(0);
  const text = await read("shop/actions/create-order.ts");
  expect(text).toContain("parts: z.array(z.unknown()).optional()");
  expect(text).toContain("// Left open: in the input, order holds itself.");
});

test("a document of Swagger 2.0 is converted, and other documents are refused with the reason", async () => {
  const swagger = {
    swagger: "2.0",
    info: { title: "Old", version: "1" },
    host: "old.example",
    basePath: "/api",
    consumes: ["application/json"],
    produces: ["application/json"],
    paths: {
      "/pets": {
        post: {
          operationId: "addPet",
          parameters: [
            {
              name: "tags",
              in: "query",
              type: "array",
              items: { type: "string" },
              collectionFormat: "csv",
            },
            { name: "pet", in: "body", required: true, schema: { $ref: "#/definitions/Pet" } },
          ],
          responses: { 200: { description: "", schema: { $ref: "#/definitions/Pet" } } },
        },
      },
    },
    definitions: {
      Pet: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
    },
  };

  const done = await generate("--openapi", await writeDocument(swagger), "--all");
  const text = await read("shop/actions/add-pet.ts");
  const other = await generate("--openapi", await writeDocument({ asyncapi: "3.0.0" }), "--all");
  await writeFile(at("shop.json"), "a: [b");
  const broken = await generate("--openapi", "shop.json", "--all");
  const absent = await generate("--openapi", "none.json", "--all");

  expect(done.code, done.stderr).toBe(0);
  expect(text).toContain('endpoint: "/api/pets"');
  expect(text).toContain('["tags", input.tags, "comma"]');
  expect(text).toContain("name: z.string(),");
  expect(other.stderr).toContain("is not an OpenAPI document of version 3.0, 3.1 or 3.2");
  expect(broken.stderr).toContain("is neither JSON nor YAML");
  expect(absent).toMatchObject({ code: 2, stderr: expect.stringContaining("is not there") });
});

test("a document by address refers to nothing but itself", async () => {
  let asked = 0;
  const parameter = { $ref: "http://127.0.0.1:1/other.json" };
  const paths = {
    ...document.paths,
    "/refers": { get: { parameters: [parameter], ...response } },
    "/file": { get: { parameters: [{ $ref: "package.json#/name" }], ...response } },
  };
  const server = createServer((_, answer) => {
    asked += 1;
    answer.end(JSON.stringify({ ...document, paths }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = Object(server.address());

  const done = await generate("--openapi", `http://127.0.0.1:${port}/shop.json`, "--all", "--json");
  server.close();
  const gone = await generate("--openapi", `http://127.0.0.1:${port}/shop.json`, "--all");

  expect(done.code, done.stderr).toBe(0);
  expect(asked).toBe(1);
  expect(JSON.parse(done.stdout).refused).toEqual([
    {
      operation: "GET /refers",
      reason: 'refers to "http://127.0.0.1:1/other.json", which is not in the document',
    },
    {
      operation: "GET /file",
      reason: 'refers to "package.json#/name", which is not in the document',
    },
  ]);
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be fetched") });
});
