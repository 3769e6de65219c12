import type { EnvironmentContext } from "#foundation";
import { cleanDefinition } from "../definitions/clean-definition.ts";
import { cleanText } from "../definitions/clean-text.ts";
import { type ListedTool, READ_RESOURCE, type ServerInfo } from "../upstream.ts";
import type { UpstreamServer } from "./door.ts";
import { withClient } from "./with-client.ts";

const MOST_TOOLS = 500;
const MOST_PAGES = 20;
/** Of one list, all definitions together. */
const MOST_BYTES = 4 * 1024 * 1024;
const LONGEST_NAME = 100;

export interface ReadList {
  readonly tools: readonly ListedTool[];
  /** Undefined where the server says nothing of it. */
  readonly ttlMs: number | undefined;
  /** Whether it is the same for everybody who asks the server. */
  readonly isPublic: boolean;
  readonly server: ServerInfo;
}

/** The tools that the server lists for the connection now; of too many the first. */
export async function readTools(
  ctx: EnvironmentContext,
  server: UpstreamServer,
  { signal }: { readonly signal: AbortSignal },
): Promise<ReadList> {
  return await withClient(ctx, server, { owner: "list", signal }, async ({ client, door }) => {
    const options = { signal: door.signal, timeout: ctx.settings.mcpLimits.callMs };
    const listed: unknown[] = [];
    const facts: { ttlMs?: unknown; cacheScope?: unknown }[] = [];
    const has = client.getServerCapabilities();
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES && listed.length < MOST_TOOLS; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const result = await client.request({ method: "tools/list", params }, options);
      listed.push(...result.tools);
      facts.push(Object(result));
      cursor = result.nextCursor;
      if (cursor === undefined) break;
    }
    const tools = withinBytes(listed.slice(0, MOST_TOOLS));
    if (has?.resources !== undefined && tools.every(({ name }) => name !== READ_RESOURCE)) {
      tools.push(resourceReader);
    }
    const { name, version } = client.getServerVersion() ?? {};
    return {
      tools,
      ttlMs: shortest(facts.map(({ ttlMs }) => ttlMs)),
      isPublic: facts.every(({ cacheScope }) => cacheScope === "public"),
      server: {
        era: client.getProtocolEra() === "modern" ? "modern" : "legacy",
        name: name === undefined ? undefined : cleanText(name, LONGEST_NAME),
        version: version === undefined ? undefined : cleanText(version, LONGEST_NAME),
      },
    };
  });
}

/** Of two tools with one name the first counts. */
function withinBytes(listed: readonly unknown[]): ListedTool[] {
  let left = MOST_BYTES;
  const names = new Set<string>();
  return listed.flatMap((each) => {
    const tool = cleanDefinition(each);
    if (tool === undefined || names.has(tool.name)) return [];
    left -= Buffer.byteLength(JSON.stringify(tool.definition));
    if (left < 0) return [];
    names.add(tool.name);
    return [tool];
  });
}

function shortest(given: readonly unknown[]): number | undefined {
  const numbers = given.filter((each) => typeof each === "number" && each >= 0);
  return numbers.length === 0 ? undefined : Math.min(...numbers.map(Number));
}

/** Not of the server: what it lists as resources, it reads by one method of the protocol. */
const resourceReader: ListedTool = {
  name: READ_RESOURCE,
  digest: "built-in",
  definition: {
    name: READ_RESOURCE,
    title: "Read a resource",
    description:
      "Reads a resource of the server by its address, such as one that a result of another tool links to.",
    inputSchema: {
      type: "object",
      properties: {
        uri: { type: "string", maxLength: 2000, description: "Address of the resource" },
      },
      required: ["uri"],
    },
    annotations: { readOnlyHint: true },
  },
};
