import type { CallToolResult } from "@modelcontextprotocol/server";
import type { EnvironmentContext } from "#foundation";
import { sealSeen } from "../provenance/provenance.ts";
import type { NewSeen } from "../provenance/store.ts";
import type { ServedSession } from "../sessions/session.ts";

/** Characters of a part of what a script reads, and of how far it reaches into the next. */
const PART = 30_000;
const OVERLAP = 200;
/** Of one output: the rest is not found again. */
const MOST_PARTS = 32;

/** What a script reads of an output: all of it, in parts. */
export function presentToScript(output: Uint8Array): CallToolResult {
  const text = Buffer.from(output).toString();
  const parts = Math.min(MOST_PARTS, Math.ceil(text.length / PART));
  return {
    content: Array.from({ length: parts }, (_, n) => ({
      type: "text",
      text: text.slice(n * PART, (n + 1) * PART + OVERLAP),
    })),
  };
}

export interface ReadResult {
  readonly tool: string;
  readonly result: CallToolResult;
  /** Which call of the session has answered it; undefined where it is read of an earlier one. */
  readonly calls?: number;
}

/** What an agent reads, to be stored where a policy may ask for it later. */
export async function seenBy(
  ctx: EnvironmentContext,
  { id: sessionId, settings }: Pick<ServedSession, "id" | "settings">,
  { tool, result, calls }: ReadResult,
): Promise<NewSeen | undefined> {
  const mayWrite = settings.some(
    ({ policy }) => policy !== undefined && policy.preset !== "read_only",
  );
  if (!mayWrite) return undefined;
  const texts = result.content.flatMap((block) => {
    if (block.type === "text") return [block.text];
    return block.type === "resource" && "text" in block.resource ? [block.resource.text] : [];
  });
  return await sealSeen(ctx, { sessionId, tool, texts, calls });
}
