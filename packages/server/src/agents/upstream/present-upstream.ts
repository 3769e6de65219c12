import type { agentUpstreamRoutes, RouteOutput } from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import { diffDefinitions } from "./definitions/diff-definitions.ts";
import { findNewestLists } from "./lists/store.ts";
import { countStates, findAllowances } from "./store.ts";
import { writeCursor } from "./tool-page/list-cursor.ts";
import { listToolPage, type PagedTool, type ToolPage } from "./tool-page/store.ts";
import {
  type Allowance,
  effectOf,
  sendsOf,
  type ToolState,
  type UpstreamList,
  type UpstreamVersion,
} from "./upstream.ts";

type Presented = RouteOutput<typeof agentUpstreamRoutes.getUpstream>;
type PresentedTool = Presented["data"]["list"][number];

/** Servers without their tools, in the order of the integrations. */
export async function presentSummaries(
  { db }: EnvironmentContext,
  integrations: readonly Integration[],
): Promise<Omit<Presented["data"], "list">[]> {
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

/** The server with a page of its tools. */
export async function presentUpstream(
  ctx: EnvironmentContext,
  integration: Integration,
  page: ToolPage,
): Promise<Presented> {
  const [summary] = await presentSummaries(ctx, [integration]);
  if (summary === undefined) throw new Error("an integration has a summary");
  const found = await listToolPage(ctx.db, integration.id, { ...page, limit: page.limit + 1 });
  const shown = found.slice(0, page.limit);
  const last = found.length > page.limit ? shown.at(-1) : undefined;
  return {
    data: { ...summary, list: shown.map(presentTool) },
    next_cursor: last === undefined ? null : writeCursor(last),
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

function presentTool({ versions, lastSeenAt }: PagedTool): PresentedTool {
  const [newest] = versions;
  if (newest === undefined) throw new Error("a tool has a version");
  const allowed = versions.find(({ state }) => state === "allowed");
  const shown = allowed ?? newest;
  const state = stateOf(newest, { allowed, isListed: lastSeenAt <= newest.seenAt });
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
