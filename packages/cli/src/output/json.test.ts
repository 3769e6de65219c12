import { expect, test } from "vitest";
import { listCommands } from "../list-commands.ts";
import { createProgram } from "../program.ts";
import { runJackfield } from "../testing/run-jackfield.ts";
import { createTestFolder } from "../testing/test-folder.ts";

const reporting = listCommands(await createProgram())
  .filter(([, command]) => command.options.some(({ long }) => long === "--json"))
  .map(([name, command]) => {
    const args = command.registeredArguments.filter(({ required }) => required);
    return [name, [...name.split(" "), ...args.map(() => "x")]] as const;
  });

test("commands that report are those that this file expects", () => {
  expect(reporting.length).toBeGreaterThanOrEqual(10);
});

test.each(reporting)("%s --json prints JSON alone where it fails", async (name, args) => {
  await using folder = await createTestFolder();
  // These fail where a file is in the way of their folder; the others where there is no project.
  const takesFolder = name === "init" || name === "migrate functions";
  const given = takesFolder ? [...args, "/dev/null/project"] : args;

  const outcome = await runJackfield({
    cwd: folder.path,
    args: [...given, "--json"],
    env: { SVC_HOSTPORT: "http://127.0.0.1:1" },
  });

  expect(outcome.code).not.toBe(0);
  const value = JSON.parse(outcome.stdout);
  if (name === "doctor") {
    const problems = value.findings.filter(({ state }: { state: string }) => state === "problem");
    expect(problems).toMatchObject([{ check: "platform" }]);
  } else expect(value).toEqual({ error: { message: expect.any(String), exit_code: outcome.code } });
  expect(outcome.stdout + outcome.stderr).not.toContain("\u001b");
});

test("a wrong option is reported as JSON, too", async () => {
  await using folder = await createTestFolder();

  const outcome = await runJackfield({ cwd: folder.path, args: ["compile", "--json", "--nope"] });

  expect(outcome.code).toBe(2);
  expect(JSON.parse(outcome.stdout).error.message).toContain("--nope");
});
