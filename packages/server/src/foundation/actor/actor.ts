import type { Scope } from "@jackfield/contract";
import { hasScope } from "@jackfield/contract";
import type { FunctionKind } from "@jackfield/contract/runtime";
import { AppError } from "../errors.ts";
import type { ConnectionUuid, OperationId } from "../ids.ts";

/** The end user, and their integrations, whose connections a key of an agent may use. */
export interface KeyBounds {
  readonly endUserId: string;
  /** Undefined: all that the end user has. */
  readonly integrations?: readonly string[];
}

/** On whose behalf something is done. */
export type Actor =
  | {
      readonly kind: "key";
      readonly keyId: string;
      /** As it is listed; for the operator. */
      readonly keyName?: string;
      readonly accountId: string;
      readonly scopes: readonly string[];
      /** When the key stops working; left out when it does not. */
      readonly expiresAt?: Date;
      /** Of whose connections alone it is; left out for one of all. */
      readonly boundTo?: KeyBounds;
    }
  | {
      readonly kind: "user";
      readonly userId: string;
      readonly userName: string;
      readonly sessionId: string;
      readonly accountId: string;
      /** Those of the user's roles: in the environment of the call, or in the account. */
      readonly scopes: readonly string[];
      /** Until when a fresh proof of identity holds; undefined without one. */
      readonly elevatedUntil: Date | undefined;
    }
  | { readonly kind: "session"; readonly sessionId: string }
  | { readonly kind: "agent"; readonly sessionId: string }
  | {
      readonly kind: "function";
      readonly runId: string;
      /** Undefined where nothing is counted of the function. */
      readonly functionName?: string;
      /** Undefined where the order of calls does not depend on it. */
      readonly functionKind?: FunctionKind;
      readonly connection: ConnectionUuid;
      /** What its calls are logged under; undefined where each call is an operation of its own. */
      readonly operationId?: OperationId;
    }
  | { readonly kind: "system" };

/** Whether a key or a user holds the scope; nobody else holds any. */
export function holdsScope(actor: Actor, scope: Scope): boolean {
  return scopesOf(actor).some((granted) => hasScope([granted], scope));
}

/** The scopes of a key or a user; nobody else has any. */
export function scopesOf(actor: Actor): readonly string[] {
  return actor.kind === "key" || actor.kind === "user" ? actor.scopes : [];
}

/** When the key stops working; undefined for keys without an end, and for others than keys. */
export function endOf(actor: Actor): Date | undefined {
  return actor.kind === "key" ? actor.expiresAt : undefined;
}

/** The account of a key or a user, on whose behalf alone an account is changed. */
export function accountOf(actor: Actor): string {
  if (actor.kind === "key" || actor.kind === "user") return actor.accountId;
  throw new Error(`${actor.kind} has no account`);
}

/** Throws step_up_required for a user without a fresh proof of identity; others need none. */
export function requireStepUp(actor: Actor, now: Date): void {
  if (actor.kind !== "user") return;
  if (actor.elevatedUntil !== undefined && actor.elevatedUntil > now) return;
  throw new AppError("step_up_required");
}

/**
 * Rows that the right of an open stream rests on, as `CHANGES` of #foundation/cache names them: when one changes the
 * stream ends, and who still may comes again.
 */
export function rowsOfActor({
  actor,
  environment,
}: {
  readonly actor: Actor;
  readonly environment: { readonly id: string };
}): string[] {
  const own = [`environments ${environment.id}`];
  if (actor.kind === "key") return [...own, `api_keys ${actor.keyId}`];
  if (actor.kind !== "user") return own;
  const { userId, sessionId } = actor;
  return [...own, `user_sessions ${sessionId}`, `users ${userId}`, `user_grants ${userId}`];
}
