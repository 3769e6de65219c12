import { type EnvironmentContext, inTime, messageOf } from "#foundation";
import { findCachedIntegration } from "#integrations";
import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import type { ToolCatalogue } from "../catalogue/tool-catalogue.ts";
import type { Account } from "../sessions/accounts.ts";
import type { ServedSession } from "../sessions/session.ts";
import { describeVersions } from "./describe-upstreams.ts";
import { findLists } from "./lists/store.ts";
import { findUpstream, refreshTools } from "./refresh-tools.ts";
import type { UpstreamList, UpstreamVersion } from "./upstream.ts";

/** A server that is slow to list its tools does not hold up an agent longer; the list of before counts then. */
const PATIENCE_MS = 5000;

interface Of {
  readonly session: Pick<ServedSession, "settings">;
  readonly readAccounts: () => Promise<readonly Account[]>;
}

/**
 * The catalogue with those tools of other MCP servers alone that the accounts of the session have now, in the very
 * version that was allowed. Lists that are out of date are read again first.
 */
export async function getSessionCatalogue(
  ctx: EnvironmentContext,
  catalogue: ToolCatalogue,
  { session, readAccounts }: Of,
): Promise<ToolCatalogue> {
  const { upstreams } = catalogue;
  if (upstreams.size === 0) return catalogue;
  const wanted = session.settings[0].tools.filter(({ integration }) => upstreams.has(integration));
  const keys = new Set(wanted.map(({ integration }) => integration));
  const accounts =
    keys.size === 0 ? [] : (await readAccounts()).filter((each) => keys.has(each.integration));
  const integrationIds = [...keys].flatMap((key) => upstreams.get(key) ?? []);
  const lists = new Lists(await readLists(ctx, { accounts, integrationIds }));
  const stale = accounts.filter((account) => isStale(ctx, lists.listFor(account)));
  const fresh =
    stale.length === 0 || !(await refreshAll(ctx, stale))
      ? lists
      : new Lists(await readLists(ctx, { accounts, integrationIds }));
  const tools = new Map<string, CatalogueTool>();
  for (const [name, tool] of catalogue.tools) {
    const own = tool.versions === undefined ? tool : narrow(tool, { accounts, lists: fresh, keys });
    if (own !== undefined) tools.set(name, own);
  }
  return { ...catalogue, tools };
}

async function readLists(
  ctx: EnvironmentContext,
  { accounts, integrationIds }: { accounts: readonly Account[]; integrationIds: readonly number[] },
): Promise<UpstreamList[]> {
  if (integrationIds.length === 0) return [];
  const connectionUuids = accounts.map(({ connection }) => connection.uuid);
  return await findLists(ctx.db, ctx.environment.id, { connectionUuids, integrationIds });
}

/** What is listed for whom: the account's own list, else the public one of its server. */
class Lists {
  readonly #lists: readonly UpstreamList[];

  constructor(lists: readonly UpstreamList[]) {
    this.#lists = lists;
  }

  listFor({ connection }: Account): UpstreamList | undefined {
    const own = this.#lists.find((each) => each.connectionUuid === connection.uuid);
    const shared = this.publicOf(connection.integrationId).find(
      ({ serverUrl }) => own === undefined || serverUrl === own.serverUrl,
    );
    if (own === undefined || shared === undefined) return own ?? shared;
    return timeOf(shared) > timeOf(own) ? shared : own;
  }

  publicOf(integrationId: number): UpstreamList[] {
    return this.#lists.filter((each) => each.isPublic && each.integrationId === integrationId);
  }
}

function timeOf({ refreshedAt }: UpstreamList): number {
  return refreshedAt?.getTime() ?? 0;
}

function isStale(ctx: EnvironmentContext, list: UpstreamList | undefined): boolean {
  return list === undefined || list.expiresAt <= ctx.clock.now();
}

/** Whether any of them was read in time. */
async function refreshAll(ctx: EnvironmentContext, stale: readonly Account[]): Promise<boolean> {
  const reading = Promise.all(
    stale.map(async ({ connection, integration: key }) => {
      try {
        const integration = await findCachedIntegration(ctx, key);
        const server = integration && findUpstream({ integration, connection });
        if (server !== undefined) await refreshTools(ctx, server);
      } catch (error) {
        ctx.log.warn("agents.upstream_not_refreshed", { reason: messageOf(error) });
      }
      return true;
    }),
  );
  return (await inTime(PATIENCE_MS, reading, ctx.signal)) !== undefined;
}

/** Undefined where no account of the session has an allowed version of the tool. */
function narrow(
  tool: CatalogueTool,
  {
    accounts,
    lists,
    keys,
  }: { accounts: readonly Account[]; lists: Lists; keys: ReadonlySet<string> },
): CatalogueTool | undefined {
  const { integration, integrationId, versions = [] } = tool;
  if (!keys.has(integration)) return undefined;
  const own = accounts.filter((each) => each.integration === integration);
  const find = (list: UpstreamList | undefined) => list && findVersion(versions, list, tool.action);
  const versionOf = new Map<string, UpstreamVersion>();
  for (const account of own) {
    const version = find(lists.listFor(account));
    if (version !== undefined) versionOf.set(account.connection.uuid, version);
  }
  // Nobody has connected yet: what the server shows to everybody is what there will be.
  const shared =
    own.length > 0 ? [] : lists.publicOf(integrationId).flatMap((each) => find(each) ?? []);
  const left = versions.filter((each) => [...versionOf.values(), ...shared].includes(each));
  return left.length === 0 ? undefined : { ...describeVersions(integration, left), versionOf };
}

function findVersion(
  versions: readonly UpstreamVersion[],
  { serverUrl, tools }: UpstreamList,
  name: string,
): UpstreamVersion | undefined {
  const digest = Object.hasOwn(tools, name) ? tools[name] : undefined;
  return versions.find((each) => each.serverUrl === serverUrl && each.digest === digest);
}
