import type { EnvironmentContext } from "#foundation";
import { isResource, type ResourceAction, type ToolFailure } from "#mcp";
import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import { type Account, listAccounts } from "../sessions/accounts.ts";
import type { ServedSession } from "../sessions/session.ts";
import { readTool } from "../sources/read-tool.ts";
import { callSessionTool } from "./call-tool.ts";

interface SessionResource extends ResourceAction {
  readonly entry: CatalogueTool;
  readonly account: Account;
}

/**
 * The session's actions with an address of their own. An address says nothing of accounts: where the user has several
 * of an integration, or two actions have the same address, there is the tool and no resource.
 */
export async function listResourceTools(
  ctx: EnvironmentContext,
  { session, tools }: { session: ServedSession; tools: readonly CatalogueTool[] },
): Promise<SessionResource[]> {
  const marked = tools.filter((tool) => tool.isResource);
  if (marked.length === 0) return [];
  const accounts = await listAccounts(ctx, session);
  const found: SessionResource[] = [];
  for (const entry of marked) {
    const own = accounts.filter(({ integration }) => integration === entry.integration);
    const [account] = own;
    const tool = own.length === 1 ? await readTool(ctx, entry) : undefined;
    if (account === undefined || tool === undefined || !isResource(tool)) continue;
    found.push({ name: entry.name, tool, entry, account });
  }
  const counts = Map.groupBy(found, ({ tool }) => tool.hints.resource?.uri);
  return found.filter(({ tool }) => counts.get(tool.hints.resource?.uri)?.length === 1);
}

interface Reading {
  readonly session: ServedSession;
  readonly client: string | undefined;
  readonly resource: SessionResource;
  readonly input: unknown;
}

/** A call like any other of the session, within its budget, whose output comes as it is. */
export async function readResource(
  ctx: EnvironmentContext,
  { session, client, resource, input }: Reading,
): Promise<Uint8Array | ToolFailure> {
  const { entry, account } = resource;
  let answer: Uint8Array | ToolFailure | undefined;
  await callSessionTool(ctx, {
    ...{ session, client, name: entry.name, tool: entry, input, accounts: [account] },
    ...{ account: undefined, isListed: false, readsOnly: true },
    onEnd: (ended) => {
      answer = ended;
    },
  });
  if (answer === undefined) throw new Error("the call has neither an output nor a failure");
  return answer;
}
