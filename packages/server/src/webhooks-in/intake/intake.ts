import type { EnvironmentId } from "#foundation";

/** Why a webhook was refused, or is not verified. */
export type RejectionReason =
  | "no_secret"
  | "missing_signature"
  | "invalid_signature"
  | "invalid_payload"
  | "too_large"
  | "rate_limited"
  | "no_room";

/** Those that say that nothing proves the sender. */
const ofProof: ReadonlySet<RejectionReason> = new Set([
  "no_secret",
  "missing_signature",
  "invalid_signature",
]);

const reasonByCode: Readonly<Record<string, RejectionReason>> = {
  webhook_invalid_secret: "no_secret",
  webhook_missing_signature: "missing_signature",
  webhook_invalid_signature: "invalid_signature",
  webhook_invalid_payload: "invalid_payload",
  request_too_large: "too_large",
  too_many_request: "rate_limited",
  overloaded: "no_room",
};

/** Why a webhook was refused with this code; undefined where that says nothing of the webhook. */
export function reasonOfCode(code: string): RejectionReason | undefined {
  return Object.hasOwn(reasonByCode, code) ? reasonByCode[code] : undefined;
}

interface Rejection {
  readonly reason: RejectionReason;
  /** ISO 8601 of the full hour. */
  readonly hour: string;
  readonly count: number;
}

/** Webhooks that came for an integration within a few seconds. */
export interface Intake {
  readonly environmentId: EnvironmentId;
  readonly integrationId: number;
  readonly receivedAt: string | null;
  readonly verifiedAt: string | null;
  readonly rejectedAt: string | null;
  readonly rejectedReason: RejectionReason | null;
  readonly unverifiedSince: string | null;
  readonly unverifiedAt: string | null;
  readonly unverifiedReason: RejectionReason | null;
  readonly rejections: readonly Rejection[];
}

/** One webhook that came, with why it was refused or nothing proves it. */
export function toIntake(
  whose: Pick<Intake, "environmentId" | "integrationId">,
  {
    at: date,
    isStored,
    isVerified,
    reason,
  }: {
    readonly at: Date;
    readonly isStored: boolean;
    readonly isVerified: boolean;
    readonly reason: RejectionReason | undefined;
  },
): Intake {
  const at = date.toISOString();
  const hour = `${at.slice(0, 13)}:00:00.000Z`;
  const isUnproven = reason !== undefined && ofProof.has(reason);
  return {
    ...whose,
    receivedAt: isStored ? at : null,
    verifiedAt: isVerified ? at : null,
    rejectedAt: reason === undefined ? null : at,
    rejectedReason: reason ?? null,
    unverifiedSince: isUnproven ? at : null,
    unverifiedAt: isUnproven ? at : null,
    unverifiedReason: isUnproven ? reason : null,
    rejections: reason === undefined ? [] : [{ reason, hour, count: 1 }],
  };
}

/** What came before and after, as one. */
export function addIntake(known: Intake, next: Intake): Intake {
  return {
    ...known,
    receivedAt: next.receivedAt ?? known.receivedAt,
    verifiedAt: next.verifiedAt ?? known.verifiedAt,
    rejectedAt: next.rejectedAt ?? known.rejectedAt,
    rejectedReason: next.rejectedReason ?? known.rejectedReason,
    unverifiedSince: known.unverifiedSince ?? next.unverifiedSince,
    unverifiedAt: next.unverifiedAt ?? known.unverifiedAt,
    unverifiedReason: next.unverifiedReason ?? known.unverifiedReason,
    rejections: next.rejections.reduce(addRejection, known.rejections),
  };
}

function addRejection(all: readonly Rejection[], next: Rejection): readonly Rejection[] {
  const isSame = ({ reason, hour }: Rejection) => reason === next.reason && hour === next.hour;
  if (!all.some(isSame)) return [...all, next];
  return all.map((each) => (isSame(each) ? { ...each, count: each.count + next.count } : each));
}
