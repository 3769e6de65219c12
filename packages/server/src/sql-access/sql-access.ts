import { randomBytes } from "node:crypto";
import type { EnvironmentId, Secret } from "#foundation";

/** How long a new model may have no view. */
export const FOLLOWED_WITHIN_MS = 60_000;

/** As it is stored. */
export interface SqlAccess {
  readonly role: string;
  readonly schema: string;
  readonly environmentId: EnvironmentId;
  readonly createdAt: Date;
  readonly passwordSetAt: Date;
  /** Model of each view. */
  readonly views: Readonly<Record<string, string>>;
  readonly viewsVersion: number;
  /** Whether the database is the one in which the role was made. */
  readonly isOfDatabase: boolean;
}

export interface NewLogin {
  readonly role: string;
  readonly password: Secret<string>;
}

/** Roles are of a whole cluster, where another database may be a copy of this one: no name is used twice. */
export function newRoleName(): string {
  return `jackfield_sql_${randomBytes(8).toString("hex")}`;
}

export type SqlAccessState = "active" | "suspended" | "needs_new_password";

/** `canSignIn` of the role; undefined when the database does not have it. */
export function stateOf(
  { isOfDatabase }: SqlAccess,
  canSignIn: boolean | undefined,
): SqlAccessState {
  if (!isOfDatabase || canSignIn === undefined) return "needs_new_password";
  return canSignIn ? "active" : "suspended";
}
