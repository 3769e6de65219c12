import { randomBytes, randomInt } from "node:crypto";
import type { EnvironmentId } from "#platform";
import type { SessionSettings } from "../session.ts";

/** Leave to begin connect sessions, several times and for days. */
export interface ConnectLink {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly settings: SessionSettings;
  readonly note: string | null;
  readonly needsCode: boolean;
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

/** Hash purpose of codes of links. */
export const LINK_CODE = "connect-link-code";

/** A code of six digits is guessed by then with a chance of 1 in 100,000. */
export const MAX_WRONG_CODES = 10;

export function newLinkCode(): string {
  return String(randomInt(1_000_000)).padStart(6, "0");
}

export function newLinkToken(): string {
  return randomBytes(32).toString("base64url");
}
