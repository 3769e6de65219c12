import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readRevision } from "./read-revision.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "jackfield-revision-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

const nothing = () => undefined;

test("a build server says commit and branch, also in place of a repository", async () => {
  const variables = new Map([
    ["CI_COMMIT_SHA", "abc123"],
    ["CI_COMMIT_REF_NAME", "fix/größe"],
  ]);

  const headers = await readRevision(folder(), (name) => variables.get(name));

  expect(headers).toEqual({ "svc-commit": "abc123", "svc-branch": "fix%2Fgr%C3%B6%C3%9Fe" });
});

test("a repository says its commit and branch, a detached one its commit alone", async () => {
  const path = folder();
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
      cwd: path,
      encoding: "utf8",
    }).trim();
  git("init", "-q", "-b", "trunk");
  writeFileSync(join(path, "a"), "1");
  git("add", "a");
  git("commit", "-q", "-m", "a");
  const commit = git("rev-parse", "HEAD");

  const onBranch = await readRevision(path, nothing);
  git("checkout", "-q", "--detach");
  const detached = await readRevision(path, nothing);

  expect(onBranch).toEqual({ "svc-commit": commit, "svc-branch": "trunk" });
  expect(detached).toEqual({ "svc-commit": commit });
});

test("a folder in no repository says nothing, and neither does what cannot be a commit", async () => {
  const odd = (name: string) => (name === "GITHUB_SHA" ? "no commit\r\nx: y" : undefined);

  expect(await readRevision(folder(), nothing)).toEqual({});
  expect(await readRevision(folder(), odd)).toEqual({});
});
