import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { readVariable } from "../config.ts";

const run = promisify(execFile);
const GIT_TIMEOUT_MS = 5000;

/** Variables of common build servers, each with the commit and the branch or tag of its build. */
const builds = [
  ["GITHUB_SHA", "GITHUB_REF_NAME"],
  ["CI_COMMIT_SHA", "CI_COMMIT_REF_NAME"],
  ["CIRCLE_SHA1", "CIRCLE_BRANCH"],
  ["BITBUCKET_COMMIT", "BITBUCKET_BRANCH"],
  ["BUILDKITE_COMMIT", "BUILDKITE_BRANCH"],
  ["BUILD_SOURCEVERSION", "BUILD_SOURCEBRANCHNAME"],
] as const;

type Find = (name: string) => string | undefined;

/** Headers that say of which commit a deployment is made: as the build server says, else as git does; none without. */
export async function readRevision(
  projectDir: string,
  find: Find = readVariable,
): Promise<Record<string, string>> {
  const [commit, branch] = fromBuild(find) ?? (await fromGit(projectDir));
  return {
    ...(commit !== undefined && /^[0-9a-zA-Z]{1,64}$/.test(commit) && { "svc-commit": commit }),
    ...(branch !== undefined && fits(branch) && { "svc-branch": encodeURIComponent(branch) }),
  };
}

function fromBuild(find: Find): [string | undefined, string | undefined] | undefined {
  const build = builds.find(([commit]) => find(commit) !== undefined);
  return build && [find(build[0]), find(build[1])];
}

/** Of the folder that is deployed; nothing where it is in no repository, or there is no git. */
async function fromGit(cwd: string): Promise<[string | undefined, string | undefined]> {
  const ask = async (...args: string[]) => {
    const { stdout } = await run("git", args, { cwd, timeout: GIT_TIMEOUT_MS });
    return stdout.trim();
  };
  try {
    const commit = await ask("rev-parse", "HEAD");
    const branch = await ask("rev-parse", "--abbrev-ref", "HEAD");
    return [commit, branch === "HEAD" ? undefined : branch];
  } catch {
    return [undefined, undefined];
  }
}

const MOST_CHARACTERS = 255;

function fits(branch: string): boolean {
  return branch !== "" && encodeURIComponent(branch).length <= MOST_CHARACTERS;
}
