import { randomBytes } from "node:crypto";
import type { EnvironmentId } from "#platform";
import type { SessionSettings } from "../session.ts";

/** Leave to begin connect sessions, several times and for days. */
export interface ConnectLink {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly settings: SessionSettings;
  readonly note: string | null;
  readonly maxUses: number;
  readonly uses: number;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

export type LinkState = "open" | "used_up" | "expired" | "revoked";

export function stateOfLink(link: ConnectLink, now: Date): LinkState {
  if (link.revokedAt !== null) return "revoked";
  if (link.uses >= link.maxUses) return "used_up";
  return link.expiresAt <= now ? "expired" : "open";
}

/** Hash purpose of tokens of links. */
export const LINK_TOKEN = "connect-link-token";

export function newLinkToken(): string {
  return randomBytes(32).toString("base64url");
}
