import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("./main.ts", import.meta.url));

test("starts from flags, prints its addresses, and ends on SIGTERM with nothing left over", async () => {
  const child = spawn(process.execPath, [program, "--contacts", "3", "--token-life", "60"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes("Sign in with")) break;
  }
  const text = lines.join("\n");
  const api = /API +(http:\S+)/.exec(text)?.[1] ?? "";
  const key = /API key +(\S+)/.exec(text)?.[1] ?? "";

  const response = await fetch(api, { headers: { "x-api-key": key } });
  const page = await response.json();
  child.kill("SIGTERM");

  expect(page).toMatchObject({ next_cursor: null, contacts: [{}, {}, {}] });
  expect(await exited).toEqual([0, null]);
});

test("names the flag that is wrong", async () => {
  const child = spawn(process.execPath, [program, "--contacts", "many"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  let message = "";
  for await (const chunk of child.stderr) message += String(chunk);

  expect(await exited).toEqual([1, null]);
  expect(message).toContain("--contacts");
});
