import type { CallToolResult } from "@modelcontextprotocol/server";
import type { EnvironmentContext } from "#platform";
import { sealSeen } from "../provenance/provenance.ts";
import type { NewSeen } from "../provenance/store.ts";
import type { ServedSession } from "../sessions/session.ts";

/** What an agent reads, to be stored where a policy may ask for it later. */
export async function seenBy(
  ctx: EnvironmentContext,
  { id: sessionId, settings }: Pick<ServedSession, "id" | "settings">,
  { tool, result }: { readonly tool: string; readonly result: CallToolResult },
): Promise<NewSeen | undefined> {
  const mayWrite = settings.some(
    ({ policy }) => policy !== undefined && policy.preset !== "read_only",
  );
  if (!mayWrite) return undefined;
  const texts = result.content.flatMap((block) => {
    if (block.type === "text") return [block.text];
    return block.type === "resource" && "text" in block.resource ? [block.resource.text] : [];
  });
  return await sealSeen(ctx, { sessionId, tool, texts });
}
