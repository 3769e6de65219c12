import { isGrantCovered } from "@jackfield/contract";
import { AppError, endOf, type SystemContext } from "#foundation";

export interface Grant {
  readonly scopes: readonly string[];
  /** Null: it does not end by itself. */
  readonly expiresAt: Date | null;
}

/**
 * Nobody hands out more than they hold, nor for longer; keys of the account may grant any scope of their
 * environments. Throws forbidden.
 */
export function requireHeld({ actor }: Pick<SystemContext, "actor">, grant: Grant): void {
  if (actor.kind !== "key" && actor.kind !== "user") return;
  const beyond = grant.scopes.filter((scope) => !holds(actor.scopes, scope));
  if (beyond.length > 0) {
    const names = beyond.map((scope) => `\`${scope}\``).join(", ");
    throw new AppError(
      "forbidden",
      `A key may be given only what its maker holds, which is not ${names}.`,
    );
  }
  const ownEnd = endOf(actor);
  if (ownEnd === undefined || (grant.expiresAt !== null && grant.expiresAt <= ownEnd)) return;
  throw new AppError(
    "forbidden",
    `The API key itself expires at ${ownEnd.toISOString()}: send an \`expires_at\` that is not later.`,
  );
}

function holds(held: readonly string[], scope: string): boolean {
  const ofAccount = held.some((each) => each.startsWith("account:"));
  return (ofAccount && scope.startsWith("environment:")) || isGrantCovered(held, scope);
}

const FOR_AGENTS = "environment:mcp";

/** With any other scope a key that is bound to an end user would reach the others. Throws invalid_body. */
export function requireForAgent(scopes: readonly string[]): void {
  if (scopes.every((scope) => scope === FOR_AGENTS)) return;
  const message = `scopes: a key that is bound to an end user has the scope ${FOR_AGENTS} alone`;
  throw new AppError("invalid_body", message, {
    details: [{ code: "custom", message, path: ["scopes"] }],
  });
}

/** Throws invalid_body for a time that has passed. */
export function requireFuture({ clock }: Pick<SystemContext, "clock">, time: Date | null): void {
  if (time === null || time > clock.now()) return;
  const message = "expires_at: must be in the future";
  const details = [{ code: "custom", message, path: ["expires_at"] }];
  throw new AppError("invalid_body", message, { details });
}
