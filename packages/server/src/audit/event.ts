import type { Actor } from "#foundation";

/** On whose behalf something was done, as it was called then. */
export interface AuditActor {
  readonly kind: Actor["kind"];
  readonly id: string | null;
  readonly name: string | null;
  /** Address of the caller, as the server sees it. */
  readonly address: string | null;
  readonly user_agent: string | null;
}

type Texts = Readonly<Record<string, string>>;

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
  readonly target: Texts;
  /** By name of a field: a keyed hash of what was sent, or the value itself where it is harmless. */
  readonly fields: Texts;
  /** The same of what the fields were before; null where the change does not say. */
  readonly before: Texts | null;
  readonly requestId: string | null;
  readonly outcome: "done" | "refused";
  readonly code: string | null;
}

/** What of an event can be erased: who acted, and what names those it was done to. */
export interface AuditDetails {
  readonly actor: Pick<AuditActor, "name" | "address" | "user_agent">;
  readonly subject: { readonly target: Texts; readonly fields: Texts; readonly before: Texts };
}

/** Digests of the details that were split off; null for an event that has none. */
export interface DetailDigests {
  readonly actorDigest: Buffer | null;
  readonly subjectDigest: Buffer | null;
}

/** The text that a MAC covers: every field, in one order. */
export function canonical(event: AuditEvent & Partial<DetailDigests>): string {
  const { actorDigest, subjectDigest } = event;
  const fields = [
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
  ];
  // Events of the first form of this log hold their details themselves.
  if (actorDigest == null) return JSON.stringify(fields);
  const before = event.before && sorted(event.before);
  const digests = [actorDigest.toString("hex"), subjectDigest?.toString("hex") ?? null];
  return JSON.stringify([...fields, before, ...digests]);
}

export function sorted(object: object): [string, unknown][] {
  return Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
