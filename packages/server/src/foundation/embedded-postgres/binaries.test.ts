import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findPackage, prepareBinaries } from "./binaries.ts";
import { isRoot, NOBODY } from "./cluster/database-owner.ts";
import { newFolder } from "./testing/test-folder.ts";

test("a package without its links runs from one complete copy", () => {
  const folder = newFolder();
  const installed = { ...findPackage(), native: join(folder, "package", "native") };
  cpSync(findPackage().native, installed.native, { recursive: true, verbatimSymlinks: true });
  removeLinks(join(installed.native, "lib"));

  const binaries = prepareBinaries(undefined, folder, installed);

  expect(binaries.majorVersion).toBe(18);
  expect(dirname(binaries.postgres)).toBe(
    join(folder, `postgres-native-${installed.version}`, "bin"),
  );
  expect(runVersion(binaries.postgres)).toContain("PostgreSQL) 18");
  expect(prepareBinaries(undefined, folder, installed)).toEqual(binaries);
  expect(readdirSync(folder)).toHaveLength(2);
});

test.runIf(isRoot())("programs that nobody cannot reach run from a copy that it can", () => {
  const folder = newFolder();
  const closed = join(folder, "closed");
  const installed = { ...findPackage(), native: join(closed, "native") };
  cpSync(findPackage().native, installed.native, { recursive: true, verbatimSymlinks: true });
  chmodSync(closed, 0o700);

  const binaries = prepareBinaries(NOBODY, folder, installed);

  expect(binaries.postgres.startsWith(closed)).toBe(false);
  expect(runVersion(binaries.postgres, NOBODY)).toContain("PostgreSQL) 18");
});

function removeLinks(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (lstatSync(join(folder, name)).isSymbolicLink()) rmSync(join(folder, name));
  }
}

function runVersion(program: string, user: object = {}): string {
  return execFileSync(program, ["--version"], { env: {}, encoding: "utf8", cwd: "/", ...user });
}
