import type { JsonSchema } from "#functions";
import { type Effect, strictestEffect } from "../toolsets/toolset.ts";

/** What another MCP server says of a tool, cleaned: text of a stranger, to be shown as data. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: "object" };
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations: ToolHints;
}

export interface ToolHints {
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

/** A tool as a server listed it; the digest is that of all that it said. */
export interface ListedTool {
  readonly name: string;
  readonly digest: string;
  readonly definition: ToolDefinition;
}

export type VersionState = "new" | "allowed" | "refused";

/** Of a tool with all its versions, as operators see it. */
export type ToolState = VersionState | "changed" | "gone";

/** A version of a tool, and what the operator has said about it. */
export interface UpstreamVersion extends ListedTool {
  readonly integrationId: number;
  readonly serverUrl: string;
  readonly state: VersionState;
  readonly effect: Effect | undefined;
  readonly sends: boolean;
  readonly firstSeenAt: Date;
  readonly seenAt: Date;
  readonly decidedAt: Date | undefined;
}

/** Which tools of a server's first list are allowed without a further word. */
export type Allowance = "all" | "read_only" | "none" | readonly string[];

export interface ServerInfo {
  readonly era: "modern" | "legacy";
  readonly name: string | undefined;
  readonly version: string | undefined;
}

/** What a server listed for a connection. */
export interface UpstreamList {
  readonly connectionUuid: string;
  readonly integrationId: number;
  readonly serverUrl: string;
  readonly isPublic: boolean;
  /** Digests by names. */
  readonly tools: Readonly<Record<string, string>>;
  readonly server: ServerInfo | undefined;
  /** Undefined while none could be read. */
  readonly refreshedAt: Date | undefined;
  readonly expiresAt: Date;
  readonly failure: string | undefined;
  readonly failedAt: Date | undefined;
}

/** The server's own tool that reads what an upstream server offers as resources. */
export const READ_RESOURCE = "read_resource";

/**
 * The operator's word, else a write. What the server itself claims can only make it stricter: anybody may write that
 * their tool only reads.
 */
export function effectOf({
  effect = "write",
  definition: { annotations },
}: Pick<UpstreamVersion, "effect" | "definition">): Effect {
  const { readOnlyHint, destructiveHint } = annotations;
  const claimed: Effect =
    readOnlyHint === true ? "read" : destructiveHint === true ? "destructive" : claimedWrite();
  return strictestEffect([effect, claimed]);

  function claimedWrite(): Effect {
    return readOnlyHint === false || destructiveHint === false ? "write" : "read";
  }
}

/** What a tool is given leaves for its server; of one that only reads, the operator says whether it goes further. */
export function sendsOf(version: Pick<UpstreamVersion, "effect" | "definition" | "sends">) {
  return version.sends || effectOf(version) !== "read";
}

/** Whether the operator has allowed such a tool of a first list beforehand. */
export function isAllowedAtFirst(allow: Allowance, { name, definition }: ListedTool): boolean {
  if (allow === "all") return true;
  if (allow === "none") return false;
  if (allow === "read_only") return definition.annotations.readOnlyHint === true;
  return allow.includes(name);
}
