import type { CallToolResult } from "@modelcontextprotocol/server";
import type { EnvironmentContext } from "#platform";
import { noteSeen } from "../provenance/provenance.ts";
import type { ServedSession } from "../sessions/session.ts";

/** Notes what an agent reads, where a policy may ask for it later. */
export async function noteSeenBy(
  ctx: EnvironmentContext,
  { id: sessionId, settings }: Pick<ServedSession, "id" | "settings">,
  { tool, result }: { readonly tool: string; readonly result: CallToolResult },
): Promise<void> {
  const mayWrite = settings.some(
    ({ policy }) => policy !== undefined && policy.preset !== "read_only",
  );
  if (!mayWrite) return;
  const texts = result.content.flatMap((block) => {
    if (block.type === "text") return [block.text];
    return block.type === "resource" && "text" in block.resource ? [block.resource.text] : [];
  });
  await noteSeen(ctx, { sessionId, tool, texts });
}
