import type { agentRoutes, RouteOutput } from "@jackfield/contract";
import { alteredCursor, type EnvironmentContext } from "#foundation";
import { listApiIntegrations } from "../toolsets/store.ts";
import type { CatalogueTool } from "./catalogue-tool.ts";
import { getCatalogue } from "./tool-catalogue.ts";

type Page = RouteOutput<typeof agentRoutes.listAgentTools>;

/** A definition of this many tokens is worth a look at its texts. */
const LARGE_TOKENS = 800;
const MOST_LEFT_OUT = 1000;

/** In the order in which they are listed: earlier releases listed actions alone. */
const sources = ["action", "operation", "upstream", "api"] as const;

interface Asked {
  readonly source: CatalogueTool["source"] | undefined;
  readonly integration: string | undefined;
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** A page of the tools that agents of the environment may have, from the cached catalogue; no schema is read. */
export async function listTools(
  ctx: EnvironmentContext,
  { source, integration, cursor, limit }: Asked,
): Promise<Page> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const { tools, leftOut } = await getCatalogue(ctx);
  const withApi = await listApiIntegrations(ctx.db, ctx.environment.id);
  const isAsked = (tool: CatalogueTool): boolean =>
    (source === undefined || tool.source === source) &&
    (integration === undefined || tool.integration === integration) &&
    (tool.source !== "api" || withApi.has(tool.integration));
  // The catalogue is in the order of names.
  const bySource = Map.groupBy([...tools.values()].filter(isAsked), (tool) => tool.source);
  const listed = sources.flatMap((each) => bySource.get(each) ?? []);
  const start = after === undefined ? 0 : listed.findIndex((tool) => isBehind(tool, after));
  const shown = start < 0 ? [] : listed.slice(start, start + limit);
  const last = start < 0 || start + limit >= listed.length ? undefined : shown.at(-1);
  const isWithActions = source === undefined || source === "action";
  return {
    data: shown.map(present),
    left_out:
      after === undefined && isWithActions
        ? leftOut
            .filter((each) => integration === undefined || each.integration === integration)
            .slice(0, MOST_LEFT_OUT)
        : [],
    tokens: listed.reduce((sum, { tokens }) => sum + tokens, 0),
    total: listed.length,
    next_cursor: last === undefined ? null : `${last.source}:${last.name}`,
  };
}

interface Position {
  readonly rank: number;
  readonly name: string;
}

function isBehind({ source, name }: CatalogueTool, after: Position): boolean {
  const rank = sources.indexOf(source);
  return rank === after.rank ? name > after.name : rank > after.rank;
}

/** Where the last tool of the page before is; throws invalid_cursor. */
function readCursor(cursor: string): Position {
  const [, source, name] = /^([a-z]+):([a-zA-Z0-9_-]{1,64})$/.exec(cursor) ?? [];
  const words: readonly string[] = sources;
  const rank = words.indexOf(source ?? "");
  if (rank >= 0 && name !== undefined) return { rank, name };
  throw alteredCursor();
}

function present(tool: CatalogueTool): Page["data"][number] {
  const { name, plainName = name, source, integration, action, title, effect, tokens } = tool;
  const isGuessed = tool.isEffectGuessed === true;
  const warnings = [
    ...(tool.summary === "" ? (["no_description"] as const) : []),
    ...(isGuessed ? (["no_effect"] as const) : []),
    ...(tokens > LARGE_TOKENS ? (["large"] as const) : []),
  ];
  return {
    ...{ name: plainName, session_name: name, source, integration, action },
    ...(title === undefined ? {} : { title }),
    ...(isGuessed ? {} : { effect }),
    ...{ tokens, warnings },
  };
}
