import type { SystemContext } from "#foundation";
import { openJson, sealJson } from "#vault";
import type { ConnectSession, SessionDefaults } from "./session.ts";

interface SessionName {
  readonly environmentId: string;
  readonly id: string;
}

/** Undefined when there is nothing to seal. */
export async function sealDefaults(
  ctx: SystemContext,
  session: SessionName,
  defaults: SessionDefaults,
): Promise<Buffer | undefined> {
  if (Object.keys(defaults).length === 0) return undefined;
  return await sealJson(ctx, aadOf(session), defaults);
}

export async function openDefaults(
  ctx: SystemContext,
  session: ConnectSession,
): Promise<SessionDefaults> {
  if (session.sealedDefaults === undefined) return {};
  return asDefaults(await openJson(ctx, aadOf(session), session.sealedDefaults));
}

function aadOf({ environmentId, id }: SessionName) {
  return { environmentId, table: "connect_sessions", column: "defaults", row: id };
}

// Authenticated encryption: what opens is what sealDefaults was given.
function asDefaults(opened: unknown): SessionDefaults {
  return opened as SessionDefaults;
}
