import { AppError, type EnvironmentContext } from "#foundation";
import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import {
  findSessionTool,
  mayCallAs,
  type ToolCatalogue,
  withEffect,
} from "../catalogue/tool-catalogue.ts";
import { resourceMetadataUrl, toScope } from "../oauth/resource.ts";
import { type ServedSession, withinReach } from "../sessions/session.ts";
import { noteRefusal } from "../sign-in/note-refusal.ts";
import { readTool } from "../sources/read-tool.ts";
import { allEffects } from "../toolsets/toolset.ts";
import { builtInNames } from "./built-in-tools.ts";

/**
 * Refuses the call of a tool for which the client has asked too little, with the scopes to ask for (RFC 6750,
 * section 3.1): its status says so, and therefore before the answer begins.
 */
export async function requireScope(
  ctx: EnvironmentContext,
  { session, catalogue }: { readonly session: ServedSession; readonly catalogue: ToolCatalogue },
  body: unknown,
): Promise<void> {
  const name = readCalled(body);
  // A session that a backend began asks nobody for more.
  if (name === undefined || session.askedEffects === undefined) return;
  const reach = withinReach(session);
  const tool = findSessionTool(catalogue, reach, name);
  const called = tool && (await asCalled(ctx, tool, body));
  if (called === undefined || mayCallAs(session, called) || !mayCallAs(reach, called)) return;
  const message = `The tool "${called.name}" takes the scope ${toScope(called.effect)}, for which this client has not asked.`;
  noteRefusal(ctx, { code: "insufficient_scope", message, meta: { session: session.id } });
  const wanted = allEffects.filter(
    (each) => each === called.effect || session.policy.effects?.includes(each) === true,
  );
  const challenge = [
    'Bearer realm="jackfield", error="insufficient_scope"',
    `scope="${wanted.map(toScope).join(" ")}"`,
    `resource_metadata="${resourceMetadataUrl(ctx.settings, session.toolsetId)}"`,
  ];
  throw new AppError("forbidden", message, {
    headers: { "WWW-Authenticate": challenge.join(", ") },
  });
}

/** With the effect of this very call, where it is another for each. */
async function asCalled(
  ctx: EnvironmentContext,
  tool: CatalogueTool,
  body: unknown,
): Promise<CatalogueTool> {
  if (tool.source !== "api") return tool;
  const { name, arguments: given } = Object(Object(body).params);
  const input: unknown = isExecutor(name) ? Object(given).input : given;
  const effect = (await readTool(ctx, tool))?.effectOf?.(input);
  return effect === undefined ? tool : withEffect(tool, effect);
}

/** The tool that a message calls, by itself or by one of those that call others. */
export function readCalled(body: unknown): string | undefined {
  const { method, params } = Object(body);
  if (method !== "tools/call") return undefined;
  const { name, arguments: given } = Object(params);
  const called = isExecutor(name) ? Object(given).name : name;
  return typeof called === "string" ? called : undefined;
}

function isExecutor(name: unknown): boolean {
  return name === builtInNames.read || name === builtInNames.write;
}
