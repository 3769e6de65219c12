import type { GrantedRole } from "@jackfield/contract";
import type { SystemContext } from "#foundation";
import type { SessionRow } from "../sessions/store.ts";
import { countRecoveryCodes, findTotp, getSecondFactorRoles } from "./store.ts";

interface Of {
  readonly userId: string;
  readonly accountId: string;
  readonly grants: readonly GrantedRole[];
  readonly session: Pick<SessionRow, "hasSecondFactor">;
}

/** What is asked of a user after the password, and what they have. */
export async function presentSecondFactor(
  { db }: SystemContext,
  { userId, accountId, grants, session }: Of,
) {
  const totp = await findTotp(db, userId);
  const asked = await getSecondFactorRoles(db, accountId);
  const isRequired = grants.some(({ role }) => asked.includes(role));
  return {
    totp_since: totp?.confirmedAt?.toISOString() ?? null,
    recovery_codes_left: await countRecoveryCodes(db, userId),
    is_required: isRequired,
    is_missing: isRequired && !session.hasSecondFactor,
  };
}
