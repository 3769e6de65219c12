import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newFolder, query, start } from "../testing/test-folder.ts";
import { isRoot } from "./database-owner.ts";

test.runIf(isRoot())(
  "a folder that nobody cannot enter points at a cluster elsewhere",
  async () => {
    const dataDir = newClosedFolder();
    const first = await start(dataDir);
    const home = dirname(first.dataDirectory);
    removeAtEnd(home);
    await query(first, "create table kept as select 7 as answer");
    await first.stop();

    const second = await start(dataDir);

    expect(home).toMatch(/^\/var\/lib\/jackfield\/[0-9a-f]{16}$/);
    expect(readFileSync(join(dataDir, "postgres-location"), "utf8")).toBe(`${home}\n`);
    expect(statSync(first.dataDirectory).uid).toBe(65534);
    expect(await query(second, "select answer from kept")).toEqual([{ answer: 7 }]);
  },
);

test.runIf(isRoot())("a lost cluster elsewhere is reported, not replaced", async () => {
  const dataDir = newClosedFolder();
  const first = await start(dataDir);
  const home = dirname(first.dataDirectory);
  await first.stop();
  rmSync(home, { recursive: true });

  await expect(start(dataDir)).rejects.toThrow(`should be in ${home}, but it is not there`);
});

test.runIf(isRoot())("a deleted data folder starts empty and keeps the old cluster", async () => {
  const dataDir = newClosedFolder();
  const first = await start(dataDir);
  const home = dirname(first.dataDirectory);
  removeAtEnd(home);
  await query(first, "create table old as select 1");
  await first.stop();
  rmSync(dataDir, { recursive: true });
  const events: Record<string, unknown>[] = [];

  const second = await start(dataDir, {
    log: (event, fields) => events.push({ event, ...fields }),
  });

  expect(await query(second, "select to_regclass('old') as old")).toEqual([{ old: null }]);
  const aside = events.find(({ event }) => event === "embedded_postgres_orphan_set_aside");
  expect(existsSync(String(aside?.["folder"]))).toBe(true);
});

function newClosedFolder(): string {
  const closed = join(newFolder(), "closed");
  mkdirSync(closed, { mode: 0o700 });
  return join(closed, "data");
}

function removeAtEnd(home: string): void {
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
}
