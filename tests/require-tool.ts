import { accessSync, constants, globSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { TestContext } from "vitest";
import type { Reporter } from "vitest/node";

// Programs whose command differs between systems; any other tool is looked up by its own name.
const commandsByTool: Readonly<Record<string, readonly string[]>> = {
  // The shell draws the same pages without the windows around them.
  chromium: ["chromium-headless-shell", "chromium", "chromium-browser"],
};

// Where servers such as nginx are installed, and Debian's PostgreSQL; not on the PATH of every user.
const systemFolders = [
  ...["/usr/sbin", "/usr/local/sbin"],
  ...globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed(),
];

const skipPrefix = "not run: ";

/** The programs that the suite runs; `.ci/run` installs what is missing. */
export const suiteTools = [
  ...[
    "bwrap",
    "caddy",
    "cc",
    "chromium",
    "curl",
    "docker-compose",
    "go",
    "haproxy",
    "kubectl",
    "mcp-inspector",
    "mount",
    "nginx",
  ],
  ...["openssl", "pgbouncer", "podman", "prlimit", "promtool", "python3", "runc", "script"],
  ...["setpriv", "sh", "systemd-analyze", "unshare"],
] as const;
/** The programs that only the chaos forms run. */
const chaosTools = ["buildah", "etcd", "mmdebstrap", "patroni", "postgres"] as const;

export type Tool = (typeof suiteTools)[number] | (typeof chaosTools)[number];

/**
 * Gives the path of a program that the test needs. When it is not installed the test is skipped
 * with the reason, or fails if `CI` is set.
 */
export function requireTool(tool: Tool, context: TestContext): string {
  // biome-ignore lint/style/noProcessEnv: a test looks for programs of the machine it runs on
  const { PATH = "", CI } = process.env;
  const folders = [...PATH.split(delimiter), ...systemFolders];
  for (const command of commandsByTool[tool] ?? [tool]) {
    for (const folder of folders) {
      const path = join(folder, command);
      if (folder !== "" && isExecutable(path)) return path;
    }
  }
  const reason = `the program "${tool}" is not installed`;
  if (CI !== undefined && CI !== "") {
    throw new Error(`${reason}, and with CI set every test has to run. Install it and try again.`);
  }
  return context.skip(`${skipPrefix}${reason}`);
}

/** A reporter that lists at the end which tests did not run for want of a program, and why. */
export function listTestsNotRun(): Reporter {
  return {
    onTestRunEnd(testModules) {
      const lines: string[] = [];
      for (const testModule of testModules) {
        for (const test of testModule.children.allTests("skipped")) {
          const result = test.result();
          if (result.state !== "skipped" || !result.note?.startsWith(skipPrefix)) continue;
          const reason = result.note.slice(skipPrefix.length);
          lines.push(`  ${testModule.relativeModuleId}: ${test.fullName}: ${reason}`);
        }
      }
      if (lines.length === 0) return;
      process.stdout.write(`\nNot run (${lines.length}):\n${lines.join("\n")}\n`);
    },
  };
}

/** One reporter of several, of which each ends before the next begins; side by side their lines mix. */
export function inTurn(...reporters: readonly Reporter[]): Reporter {
  return {
    onInit(vitest) {
      for (const reporter of reporters) reporter.onInit?.(vitest);
    },
    async onTestRunEnd(...result) {
      for (const reporter of reporters) await reporter.onTestRunEnd?.(...result);
    },
  };
}

/** A reporter whose last line counts the tests in words that any machine can read. */
export function countTests(): Reporter {
  return {
    onTestRunEnd(testModules) {
      const tests = testModules.flatMap((testModule) => [...testModule.children.allTests()]);
      const count = (state: string): number =>
        tests.filter((test) => test.result().state === state).length;
      // A file that fails before its first test has skipped tests only.
      const broken = testModules.filter(
        (testModule) =>
          testModule.state() === "failed" && testModule.children.allTests("failed").next().done,
      );
      const failed = count("failed") + broken.length;
      process.stdout.write(
        `\n${count("passed")} passed, ${failed} failed, ${count("skipped")} skipped\n`,
      );
    },
  };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
