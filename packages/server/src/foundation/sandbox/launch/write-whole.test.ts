import { mkdir, mkdtempDisposable, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeWhole } from "./write-whole.ts";

test("writers of one file at the same moment each write it, and leave nothing else", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "write-whole-"));
  const file = join(folder.path, "file");
  const contents = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(10_000));

  await Promise.all(contents.map(async (content) => await writeWhole(file, content)));

  expect(contents).toContain(await readFile(file, "utf8"));
  expect(await readdir(folder.path)).toEqual(["file"]);
});

test("what could not be written leaves nothing", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "write-whole-"));
  await mkdir(join(folder.path, "taken"));

  await expect(writeWhole(join(folder.path, "taken"), "text")).rejects.toThrow("EISDIR");

  expect(await readdir(folder.path)).toEqual(["taken"]);
});
