import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { faultsOfTexts, readCommands } from "./walks/code.ts";
import { commandsOfRoutes, commandsWithoutCode, commandsWithoutRoute } from "./walks/commands.ts";

const sources = path.resolve(import.meta.dirname, "../../packages/dashboard/src");

test("each command is known to be one for a route, or for none", async () => {
  const commands = await readCommands();
  const decided = [
    ...new Set(Object.values(commandsOfRoutes)),
    ...commandsWithoutRoute,
    ...commandsWithoutCode,
  ];

  expect(decided.toSorted()).toEqual([...commands.keys()].toSorted());
});

test("a screen that shows a call for which there is a command shows the command as well", async () => {
  const missing: string[] = [];
  let count = 0;
  for await (const file of glob("**/*.tsx", { cwd: sources })) {
    const text = readFileSync(path.join(sources, file), "utf8");
    for (const [, route = ""] of text.matchAll(/\bcurlOf\(\s*"(\w+)"/g)) {
      count += 1;
      const command = Object(commandsOfRoutes)[route];
      if (typeof command !== "string") continue;
      if (text.includes("cliOf(")) continue;
      missing.push(`${file}: ${route} without ${command}`);
    }
  }

  expect(missing).toEqual([]);
  expect(count).toBeGreaterThan(60);
});

test("code that does not exist is found: a call, a method, a command and an option", async () => {
  const commands = await readCommands();
  const faultsOf = (curl: string, node: string, cli?: string) =>
    faultsOfTexts(
      new Map([
        ["curl", `curl ${curl}`],
        ["Node", `const answer = await jackfield.${node};`],
        ...(cli === undefined ? [] : [["CLI", `npx jackfield ${cli}`] as const]),
      ]),
      commands,
    );
  const connections = "'http://a.example/connections?limit=1'";

  expect(faultsOf(connections, "connections.list()", "connections --state ok")).toEqual([]);
  expect(faultsOf(connections, "connections.list()")).toHaveLength(1);
  expect(faultsOf(connections, "connections.all()", "connections")).toHaveLength(1);
  expect(faultsOf(connections, "connections.list()", "connexions")).toHaveLength(1);
  expect(faultsOf(connections, "connections.list()", "connections --colour red")).toHaveLength(1);
  expect(faultsOf(connections, "connections.list()", "links")).toHaveLength(1);
  expect(faultsOf("http://a.example/nothing", "connections.list()")).toHaveLength(1);
});
