import { findConnectionByUuid } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { isCredentialFailure } from "#functions";
import type { RunOutcome } from "../runs/end-states.ts";
import type { RunSubject } from "../runs/run-subject.ts";

/**
 * Whether a run failed for want of credentials that have come while it ran. Asked once its sync is locked: who
 * authorizes the connection again locks it after storing them, and sees how the run has ended, or this sees them.
 */
export async function hasNewCredentials(
  ctx: EnvironmentContext,
  { subject, outcome }: { subject: RunSubject | undefined; outcome: RunOutcome },
): Promise<boolean> {
  if (subject === undefined) return false;
  if (outcome.kind !== "failed" || !isCredentialFailure(outcome.error)) return false;
  const { uuid, credentialVersion } = subject.connection;
  const current = await findConnectionByUuid(ctx, uuid);
  if (current === undefined || current.credentialVersion === credentialVersion) return false;
  const { needsReauthorizationAt, failure } = current.refresh;
  return needsReauthorizationAt === undefined && failure === undefined;
}
