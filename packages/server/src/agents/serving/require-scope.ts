import { AppError, type EnvironmentContext } from "#platform";
import { findSessionTool, type ToolCatalogue } from "../catalogue/tool-catalogue.ts";
import { resourceMetadataUrl, toScope } from "../oauth/resource.ts";
import { type ServedSession, withinReach } from "../sessions/session.ts";
import { noteRefusal } from "../sign-in/note-refusal.ts";
import { allEffects } from "../toolsets/toolset.ts";
import { builtInNames } from "./built-in-tools.ts";

/**
 * Refuses the call of a tool for which the client has asked too little, with the scopes to ask for (RFC 6750,
 * section 3.1): its status says so, and therefore before the answer begins.
 */
export function requireScope(
  ctx: EnvironmentContext,
  { session, catalogue }: { readonly session: ServedSession; readonly catalogue: ToolCatalogue },
  body: unknown,
): void {
  const name = readCalled(body);
  if (name === undefined || findSessionTool(catalogue, session, name) !== undefined) return;
  const tool = findSessionTool(catalogue, withinReach(session), name);
  if (tool === undefined) return;
  const message = `The tool "${tool.name}" takes the scope ${toScope(tool.effect)}, for which this client has not asked.`;
  noteRefusal(ctx, { code: "insufficient_scope", message, meta: { session: session.id } });
  const wanted = allEffects.filter(
    (each) => each === tool.effect || session.policy.effects?.includes(each) === true,
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

/** The tool that a message calls, by itself or by one of those that call others. */
export function readCalled(body: unknown): string | undefined {
  const { method, params } = Object(body);
  if (method !== "tools/call") return undefined;
  const { name, arguments: given } = Object(params);
  const isExecutor = name === builtInNames.read || name === builtInNames.write;
  const called = isExecutor ? Object(given).name : name;
  return typeof called === "string" ? called : undefined;
}
