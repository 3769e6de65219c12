import type { RouteOutput, toolsetRoutes } from "@jackfield/contract";
import { alteredCursor, type EnvironmentContext } from "#foundation";
import { declarationOf } from "../catalogue/signature.ts";
import { getCatalogue, listSessionTools } from "../catalogue/tool-catalogue.ts";
import { readTool } from "../sources/read-tool.ts";
import type { ToolsetSettings } from "./toolset.ts";

type Page = RouteOutput<typeof toolsetRoutes.listToolsetDeclarations>;

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** A page of the tools that sessions of the toolset may have, by name; the schemas of that page alone are read. */
export async function declareTools(
  ctx: EnvironmentContext,
  {
    settings,
    cursor,
    limit,
  }: { settings: ToolsetSettings; cursor: string | undefined; limit: number },
): Promise<Page> {
  const after = cursor === undefined ? "" : readCursor(cursor);
  const held = { settings: [settings, settings] as const, policy: {} };
  const left = listSessionTools(await getCatalogue(ctx), held).filter(({ name }) => name > after);
  const data: Page["data"] = [];
  for (const tool of left.slice(0, limit)) {
    const read = await readTool(ctx, tool);
    // It has just gone.
    if (read === undefined) continue;
    const { name, integration, effect, summary } = tool;
    const typescript = declarationOf(read.inputSchema, read.outputSchema);
    data.push({ name, integration, effect, summary, typescript });
  }
  const last = left.length > limit ? left[limit - 1] : undefined;
  return { data, next_cursor: last?.name ?? null };
}

/** The name of the last tool of the page before. */
function readCursor(cursor: string): string {
  if (NAME.test(cursor)) return cursor;
  throw alteredCursor();
}
