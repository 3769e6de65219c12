import type { Page } from "playwright-core";
import { listCommands, type NamedCommand } from "../../../packages/cli/src/list-commands.ts";
import { createProgram } from "../../../packages/cli/src/program.ts";
import { routePaths } from "../../../packages/dashboard/src/data/route-paths.ts";
import { Jackfield } from "../../../packages/node/src/index.ts";
import { commandsOfRoutes, type RouteName } from "./commands.ts";

export type Commands = ReadonlyMap<string, NamedCommand[1]>;

/** The commands that there are, by name. */
export async function readCommands(): Promise<Commands> {
  return new Map(listCommands(await createProgram()));
}

/** What is wrong with the code of the panel that is open: a way that is missing, or a call that does not exist. */
export async function faultsOfTabs(page: Page, commands: Commands): Promise<readonly string[]> {
  const panel = page.getByRole("dialog", { name: "Show as code" });
  const texts = new Map<string, string>();
  await panel.getByRole("tab").first().waitFor();
  for (const tab of await panel.getByRole("tab").all()) {
    await tab.click();
    texts.set((await tab.textContent()) ?? "", (await panel.locator("pre").textContent()) ?? "");
  }
  return faultsOfTexts(texts, commands);
}

/** The same of its texts, by the names of their tabs. */
export function faultsOfTexts(
  texts: ReadonlyMap<string, string>,
  commands: Commands,
): readonly string[] {
  const faults: string[] = [];
  const [curl, node, cli] = ["curl", "Node", "CLI"].map((name) => texts.get(name));
  const route = curl === undefined ? undefined : routeOf(curl);
  if (route === undefined) faults.push(`no call with curl: ${curl}`);
  if (node === undefined) faults.push("no call from Node");
  else if (!isCallable(node)) faults.push(`the client has no such method: ${node}`);
  const wanted = route === undefined ? undefined : commandsOfRoutes[route];
  if (cli === undefined && wanted !== undefined) faults.push(`${route}: no command, but ${wanted}`);
  if (cli !== undefined) faults.push(...faultsOfCommand(cli, wanted, commands));
  return faults;
}

/** The route of a call with curl; one with fewer parameters comes first. */
function routeOf(curl: string): RouteName | undefined {
  const [, method = "GET", quoted, plain] =
    /^curl (?:-X (\w+) )?(?:'([^']+)'|(\S+))/.exec(curl) ?? [];
  const address = quoted ?? plain;
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { pathname } = new URL(address);
  const matching = Object.entries(routePaths)
    .filter((entry) => entry[1].method === method && patternOf(entry[1].path).test(pathname))
    .toSorted((a, b) => a[1].path.split("{").length - b[1].path.split("{").length);
  return Object.keys(routePaths).find((name): name is RouteName => name === matching[0]?.[0]);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+").replaceAll(/\{\w+\+\}/g, ".+")}$`);
}

/** Whether the client for Node has the method; a call without one is made with `fetch`. */
function isCallable(node: string): boolean {
  const [, called] = /await jackfield\.([\w.]+)\(/.exec(node) ?? [];
  if (called === undefined) return node.includes("await fetch(");
  const client: unknown = new Jackfield({ host: "http://127.0.0.1:1", apiKey: "none" });
  const method = called.split(".").reduce((from, name) => Object(from)[name], client);
  return typeof method === "function";
}

function faultsOfCommand(
  cli: string,
  wanted: string | undefined,
  commands: Commands,
): readonly string[] {
  const line = cli.replace(/^npx jackfield /, "");
  const [name] = [...commands.keys()]
    .filter((each) => line === each || line.startsWith(`${each} `))
    .toSorted((a, b) => b.length - a.length);
  const command = commands.get(name ?? "");
  if (name === undefined || command === undefined) return [`there is no such command: ${cli}`];
  const known = new Set(command.options.map(({ long }) => long));
  const unquoted = line.replaceAll(/'[^']*'/g, "value");
  const options = unquoted.match(/(?<= )--[\w-]+/g) ?? [];
  return [
    ...(wanted !== undefined && name !== wanted ? [`${cli} is not ${wanted}`] : []),
    ...options.filter((one) => !known.has(one)).map((one) => `${name} has no option ${one}`),
  ];
}
