import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { requireTool } from "../../../../tests/require-tool.ts";

const bin = fileURLToPath(new URL("../../bin/jackfield.js", import.meta.url));
const run = promisify(execFile);
const red = "\u001b[31merror:";

/** What a person sees who runs the command on a terminal. */
async function onTerminal(script: string, env: Readonly<Record<string, string>>): Promise<string> {
  const command = `'${process.execPath}' '${bin}' providers lint /nowhere.yaml`;
  const { stdout } = await run(script, ["-qc", command, "/dev/null"], {
    env: { PATH: dirname(process.execPath), TERM: "xterm", SHELL: "/bin/sh", ...env },
  });
  return stdout;
}

test("colours are for terminals, and NO_COLOR turns them off there", async (context) => {
  const script = requireTool("script", context);

  const coloured = await onTerminal(script, {});
  const plain = await onTerminal(script, { NO_COLOR: "1" });

  expect(coloured).toContain(red);
  expect(plain).toContain("error: /nowhere.yaml cannot be read");
  expect(plain).not.toContain("\u001b[");
});
