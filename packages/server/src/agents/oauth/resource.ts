import type { EnvironmentContext, Settings } from "#foundation";
import { findToolsetById } from "../toolsets/store.ts";
import { type Effect, effectsOf, type Toolset } from "../toolsets/toolset.ts";

type At = Pick<Settings, "serverUrl">;

/** URL of a toolset for clients that connect by it alone, and the audience of their tokens. */
export function resourceOf({ serverUrl }: At, toolsetId: string): string {
  return `${serverUrl}/mcp/${toolsetId}`;
}

/** Issuer of an environment's own authorization server. */
export function issuerOf({ serverUrl }: At, environmentId: string): string {
  return `${serverUrl}/agent/oauth/${environmentId}`;
}

/** Where a client learns who issues tokens (RFC 9728, section 3.1). */
export function resourceMetadataUrl({ serverUrl }: At, toolsetId: string): string {
  const { origin, pathname } = new URL(serverUrl);
  const base = pathname === "/" ? "" : pathname;
  return `${origin}/.well-known/oauth-protected-resource${base}/mcp/${toolsetId}`;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function isToolsetId(text: string): boolean {
  return uuid.test(text);
}

/** A toolset of the environment by its URL; undefined for any other address. */
export async function findResource(
  ctx: EnvironmentContext,
  resource: string,
): Promise<Toolset | undefined> {
  const prefix = `${ctx.settings.serverUrl}/mcp/`;
  const id = resource.slice(prefix.length);
  if (!resource.startsWith(prefix) || !isToolsetId(id)) return undefined;
  return await findToolsetById(ctx.db, { id, environmentId: ctx.environment.id });
}

/** The scopes of a toolset: what its tools may do. */
export function scopesOf({ settings }: Pick<Toolset, "settings">): string[] {
  return effectsOf(settings).map(toScope);
}

export function toScope(effect: Effect): string {
  return `tools:${effect}`;
}

export function toEffects(scopes: Iterable<string>): Effect[] {
  const given = new Set(scopes);
  return (["read", "write", "destructive"] as const).filter((each) => given.has(`tools:${each}`));
}
