import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addServer } from "./client-files.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "jackfield-mcp-"));
});
afterEach(async () => await rm(folder, { recursive: true }));

const server = { name: "helper", url: "http://localhost:3003/mcp/helper", token: "t" };
const entry = { url: server.url, headers: { Authorization: "Bearer t" } };

async function readJson(path: string) {
  return JSON.parse(await readFile(join(folder, path), "utf8"));
}

test("each client's file has the server in the client's form, readable by its owner alone", async () => {
  const paths = [];
  for (const client of ["claude-code", "cursor", "vscode"] as const) {
    paths.push(await addServer(folder, { ...server, client }));
  }

  expect(await Promise.all(paths.map(readJson))).toEqual([
    { mcpServers: { helper: { type: "http", ...entry } } },
    { mcpServers: { helper: entry } },
    { servers: { helper: { type: "http", ...entry } } },
  ]);
  expect((await stat(join(folder, ".mcp.json"))).mode & 0o777).toBe(0o600);
});

test("what a file has already stays, but an earlier token", async () => {
  const file = join(folder, ".vscode", "mcp.json");
  await mkdir(join(folder, ".vscode"));
  await writeFile(file, '{"inputs":[1],"servers":{"other":{"url":"x"}}}', { mode: 0o644 });

  await addServer(folder, { ...server, client: "vscode", token: "old" });
  await addServer(folder, { ...server, client: "vscode" });

  expect(await readJson(".vscode/mcp.json")).toEqual({
    inputs: [1],
    servers: { other: { url: "x" }, helper: { type: "http", ...entry } },
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("a file that is no JSON is left alone", async () => {
  const text = '{ // mine\n  "servers": {} }';
  await writeFile(join(folder, ".mcp.json"), text);

  await expect(addServer(folder, { ...server, client: "claude-code" })).rejects.toThrow(/by hand/);
  expect(await readFile(join(folder, ".mcp.json"), "utf8")).toBe(text);
});
