import { randomBytes, randomInt } from "node:crypto";
import type { Creator } from "#environments";
import type { ConnectionUuid, EnvironmentId } from "#foundation";
import type { SessionSettings } from "../session.ts";

/** Leave to begin connect sessions, several times and for days. */
export interface ConnectLink {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly settings: SessionSettings;
  /** The connection that is authorized again; null: new ones are made. Its integration is the only one allowed. */
  readonly reconnects: Reconnected | null;
  readonly note: string | null;
  readonly needsCode: boolean;
  readonly maxUses: number;
  readonly uses: number;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  /** Null for links from before this was recorded. */
  readonly createdBy: Creator | null;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

export interface Reconnected {
  readonly uuid: ConnectionUuid;
  /** As it was called when the link was made. */
  readonly connectionId: string;
}

export type LinkState = "open" | "used_up" | "expired" | "revoked";

export function stateOfLink(link: ConnectLink, now: Date): LinkState {
  if (link.revokedAt !== null) return "revoked";
  if (link.uses >= link.maxUses) return "used_up";
  return link.expiresAt <= now ? "expired" : "open";
}

const RECONNECT_MARK = "r.";

/** Hash purpose of a link's token: one for links that make connections, one for those that authorize one again. */
export function purposeOfToken(token: string): string {
  return token.startsWith(RECONNECT_MARK) ? "reconnect-link-token" : "connect-link-token";
}

/** Hash purpose of codes of links. */
export const LINK_CODE = "connect-link-code";

/** A code of six digits is guessed by then with a chance of 1 in 100,000. */
export const MAX_WRONG_CODES = 10;

export function newLinkCode(): string {
  return String(randomInt(1_000_000)).padStart(6, "0");
}

export function newLinkToken({ reconnects }: { reconnects: boolean }): string {
  const token = randomBytes(32).toString("base64url");
  return reconnects ? `${RECONNECT_MARK}${token}` : token;
}
