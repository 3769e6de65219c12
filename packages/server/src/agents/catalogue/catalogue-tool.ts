import type { ApiSelection, RuledTool } from "../toolsets/toolset.ts";
import type { UpstreamVersion } from "../upstream/upstream.ts";

/** A tool without its schemas, which are read when they are asked for. */
export interface CatalogueTool extends RuledTool {
  readonly source: "action" | "operation" | "api" | "upstream";
  readonly name: string;
  readonly integrationId: number;
  readonly title: string | undefined;
  /** At most 300 characters. */
  readonly summary: string;
  readonly signature: string;
  /** About what its definition takes in a model's context. */
  readonly tokens: number;
  /** Whether it may have an address of its own. */
  readonly isResource: boolean;
  /** Whether others may have written what it answers. */
  readonly isUntrusted: boolean;
  /** Whether it cannot do without asking its user. */
  readonly asks: boolean;
  /** Of an action: its name where actions alone are listed. */
  readonly plainName?: string;
  /** Whether nobody has said what it does, so that it is taken for a write. */
  readonly isEffectGuessed?: boolean;
  /** Of a session's tool that sends any request: all of them have to allow it. */
  readonly rules?: readonly ApiSelection[];
  /** Of a tool of another MCP server: its versions that are allowed, those that were listed last first. */
  readonly versions?: readonly UpstreamVersion[];
  /** Which of them each account has, by connection; only in the catalogue of a session. */
  readonly versionOf?: ReadonlyMap<string, UpstreamVersion>;
}
