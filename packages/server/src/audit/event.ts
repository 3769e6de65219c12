import type { Actor } from "#platform";

/** On whose behalf something was done, as it was called then. */
export interface AuditActor {
  readonly kind: Actor["kind"];
  readonly id: string | null;
  readonly name: string | null;
  /** Address of the caller, as the server sees it. */
  readonly address: string | null;
  readonly user_agent: string | null;
}

/** What the log says of one change, or of one that was refused. */
export interface AuditEvent {
  readonly id: string;
  /** Null for what belongs to no account, such as a failed sign-in. */
  readonly accountId: string | null;
  readonly environmentId: string | null;
  readonly at: Date;
  readonly actor: AuditActor;
  readonly via: "key" | "session" | "sign-in" | "system";
  /** The name of the route, or of what was done. */
  readonly action: string;
  readonly target: Readonly<Record<string, string>>;
  /** By name of a field: a keyed hash of what was sent, or the value itself where it is harmless. */
  readonly fields: Readonly<Record<string, string>>;
  readonly requestId: string | null;
  readonly outcome: "done" | "refused";
  readonly code: string | null;
}

/** The text that a MAC covers: every field, in one order. */
export function canonical(event: AuditEvent): string {
  return JSON.stringify([
    event.id,
    event.accountId,
    event.environmentId,
    event.at.toISOString(),
    sorted(event.actor),
    event.via,
    event.action,
    sorted(event.target),
    sorted(event.fields),
    event.requestId,
    event.outcome,
    event.code,
  ]);
}

function sorted(object: object): [string, unknown][] {
  return Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
