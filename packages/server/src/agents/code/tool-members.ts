import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import type { ToolCatalogue } from "../catalogue/tool-catalogue.ts";

type Named = Pick<CatalogueTool, "integration" | "action">;

/** How a script may write a tool, the shortest way first, by the name of the tool; what several would have is nobody's. */
type Members = ReadonlyMap<string, string>;

// A catalogue is never changed: what is made of it goes with it.
// Kept with its key: members are made of the catalogue alone.
const known = new WeakMap<ToolCatalogue, Members>();

/** A name as a member of an object: `create-contact` is `createContact`. */
export function memberOf(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const [first = "_", ...others] = words;
  const rest = others.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const joined = [first, ...rest].join("");
  return /^\d/.test(joined) ? `_${joined}` : joined;
}

function membersOf(catalogue: ToolCatalogue): Members {
  const found = known.get(catalogue);
  if (found !== undefined) return found;
  const tools = [...catalogue.tools.values()];
  const owners = new Map<string, Set<string>>();
  for (const tool of tools) {
    for (const path of waysOf(tool).map(toPath)) {
      owners.set(path, (owners.get(path) ?? new Set()).add(tool.name));
    }
  }
  const sole = [...owners].flatMap(([path, names]): [string, string][] => {
    const [name] = names;
    return names.size === 1 && name !== undefined ? [[path, name]] : [];
  });
  // Exact names come before short forms of others.
  const exact = tools.map((tool): [string, string] => [toPath(toWay(tool)), tool.name]);
  const members = new Map([...sole, ...exact]);
  known.set(catalogue, members);
  return members;
}

type Way = readonly [integration: string, tool: string];

function toWay({ integration, action }: Named): Way {
  return [integration, action];
}

function waysOf({ integration, action }: Named): Way[] {
  const [owner, own] = [memberOf(integration), memberOf(action)];
  return [
    [owner, own],
    [owner, action],
    [integration, own],
  ];
}

function toPath(way: Way): string {
  return way.join("\0");
}

/** The name of the tool that a script calls by these members; undefined for none. */
export function findMember(
  catalogue: ToolCatalogue,
  { integration, tool }: { readonly integration: string; readonly tool: string },
): string | undefined {
  return membersOf(catalogue).get(toPath([integration, tool]));
}

/** How a script writes the tool: `tools.hubspot.createContact`. */
export function expressionOf(
  catalogue: ToolCatalogue,
  tool: Named & Pick<CatalogueTool, "name">,
): string {
  const members = membersOf(catalogue);
  const way = waysOf(tool).find((each) => members.get(toPath(each)) === tool.name) ?? toWay(tool);
  return `tools${way.map(toAccess).join("")}`;
}

function toAccess(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
