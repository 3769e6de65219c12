import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { DataFolderInUseError } from "../errors.ts";
import { killHard, newFolder } from "../testing/test-folder.ts";
import { lockFolder } from "./folder-lock.ts";

test("a lock is refused while held and free after its release", () => {
  const folder = newFolder();
  const lock = lockFolder(folder, folder);

  expect(() => lockFolder(folder, folder)).toThrow(DataFolderInUseError);
  lock.release();
  lock.release();

  lockFolder(folder, folder).release();
  expect(readdirSync(folder)).toEqual(["database.lock"]);
});

test("the lock of a process that was killed is taken over", async () => {
  const folder = newFolder();
  const module = JSON.stringify(new URL("./folder-lock.ts", import.meta.url).href);
  const program = `
    const { lockFolder } = await import(${module});
    globalThis.lock = lockFolder(${JSON.stringify(folder)}, "x");
    console.log("locked");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr.pipe(process.stderr);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  await once(createInterface(child.stdout), "line");
  expect(() => lockFolder(folder, folder)).toThrow(`in use by process ${child.pid}: `);

  await killHard(child);

  lockFolder(folder, folder).release();
});

test("a note left by a process whose id is in use again does not hold the folder", () => {
  const folder = newFolder();
  writeFileSync(
    join(folder, "database.lock.holder"),
    JSON.stringify({ processId: process.pid, host: "x" }),
  );

  const lock = lockFolder(folder, folder);

  lock.release();
});
