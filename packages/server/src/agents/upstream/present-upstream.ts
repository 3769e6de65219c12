import type { agentUpstreamRoutes, RouteOutput } from "@jackfield/contract";
import type { Integration } from "#integrations";
import type { EnvironmentContext } from "#platform";
import { diffDefinitions } from "./definitions/diff-definitions.ts";
import { findNewestList, findNewestLists } from "./lists/store.ts";
import { countStates, findAllowance, findAllowances, listVersionsOf } from "./store.ts";
import {
  type Allowance,
  effectOf,
  sendsOf,
  type ToolState,
  type UpstreamList,
  type UpstreamVersion,
} from "./upstream.ts";

type Presented = RouteOutput<typeof agentUpstreamRoutes.getUpstream>["data"];
type PresentedTool = Presented["list"][number];

/** Servers without their tools, in the order of the integrations. */
export async function presentSummaries(
  { db }: EnvironmentContext,
  integrations: readonly Integration[],
): Promise<Omit<Presented, "list">[]> {
  const ids = integrations.map(({ id }) => id);
  const [allowances, lists, counts] = [
    await findAllowances(db, ids),
    await findNewestLists(db, ids),
    await countStates(db, ids),
  ];
  return integrations.map(({ id, uniqueKey }) => {
    const own = counts.filter(({ integrationId }) => integrationId === id);
    return {
      integration: uniqueKey,
      allow: presentAllowance(allowances.get(id)),
      ...presentList(lists.get(id)),
      tools: countOf((state) => own.find((each) => each.state === state)?.count ?? 0),
    };
  });
}

export async function presentUpstream(
  ctx: EnvironmentContext,
  { id, uniqueKey }: Integration,
): Promise<Presented> {
  const { db } = ctx;
  const [allow, list, versions] = [
    await findAllowance(db, id),
    await findNewestList(db, id),
    await listVersionsOf(db, id),
  ];
  const named = Map.groupBy(versions, ({ name, serverUrl }) => `${name} ${serverUrl}`);
  const tools = [...named.values()]
    .map((own) => presentTool(own, versions))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    integration: uniqueKey,
    allow: presentAllowance(allow),
    ...presentList(list),
    tools: countOf((state) => tools.filter((each) => each.state === state).length),
    list: tools,
  };
}

function presentAllowance(allow: Allowance = "none") {
  return typeof allow === "string" ? allow : [...allow];
}

function countOf(count: (state: ToolState) => number) {
  return {
    ...{ new: count("new"), allowed: count("allowed"), changed: count("changed") },
    ...{ refused: count("refused"), gone: count("gone") },
  };
}

function presentList(list: UpstreamList | undefined) {
  const { server, serverUrl = "", isPublic = false } = list ?? {};
  return {
    server:
      server === undefined
        ? null
        : {
            ...{ name: server.name ?? null, version: server.version ?? null },
            ...{ protocol: server.era, url: serverUrl, is_public: isPublic },
          },
    refreshed_at: list?.refreshedAt?.toISOString() ?? null,
    expires_at: list?.expiresAt.toISOString() ?? null,
    failure: list?.failure ?? null,
  };
}

/** `own` are the versions of one tool, those that were listed last first, at least one. */
function presentTool(
  own: readonly UpstreamVersion[],
  all: readonly UpstreamVersion[],
): PresentedTool {
  const [newest] = own;
  if (newest === undefined) throw new Error("a tool has a version");
  const allowed = own.find(({ state }) => state === "allowed");
  const shown = allowed ?? newest;
  const state = stateOf(newest, { allowed, isListed: isListedLast(newest, all) });
  const changed = state === "changed" && allowed !== undefined ? newest : undefined;
  return {
    ...{ name: newest.name, server_url: newest.serverUrl, state },
    ...{ effect: effectOf(shown), sends: sendsOf(shown) },
    definition: presentVersion(shown),
    changed:
      changed === undefined
        ? null
        : {
            definition: presentVersion(changed),
            changes: diffDefinitions(shown.definition, changed.definition),
          },
    decided_at: shown.decidedAt?.toISOString() ?? null,
  };
}

function stateOf(
  newest: UpstreamVersion,
  { allowed, isListed }: { allowed: UpstreamVersion | undefined; isListed: boolean },
): ToolState {
  if (allowed !== undefined && newest.state === "new") return "changed";
  if (newest.state === "new") return "new";
  if (newest.state === "refused") return "refused";
  return isListed ? "allowed" : "gone";
}

/** Whether the server's newest list had it. */
function isListedLast({ serverUrl, seenAt }: UpstreamVersion, all: readonly UpstreamVersion[]) {
  const last = all.find((each) => each.serverUrl === serverUrl);
  return last === undefined || last.seenAt <= seenAt;
}

function presentVersion({ digest, definition, firstSeenAt }: UpstreamVersion) {
  const { title, description, inputSchema, outputSchema, annotations } = definition;
  return {
    digest,
    ...(title === undefined ? {} : { title }),
    ...{ description, input_schema: { ...inputSchema } },
    ...(outputSchema === undefined ? {} : { output_schema: { ...outputSchema } }),
    annotations,
    first_seen_at: firstSeenAt.toISOString(),
  };
}
