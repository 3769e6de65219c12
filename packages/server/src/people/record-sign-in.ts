import { ensureAccount } from "#accounts";
import { hashOfEntered, recordAudit } from "#audit";
import type { SystemContext } from "#foundation";

export interface SignInEvent {
  /** Undefined where nobody has proved to be somebody. */
  readonly user?: { readonly id: string; readonly name: string; readonly accountId: string };
  /** Whose people it is about, where nobody has; default: those of the first account. */
  readonly accountId?: string | undefined;
  /** As it was entered; only a keyed hash of it is kept. */
  readonly email?: string;
  readonly action: string;
  readonly secondFactor?: string | undefined;
  readonly outcome: "done" | "refused";
  readonly code: string | null;
}

/** Leaves a row of who has signed in, or tried to. */
export async function recordSignIn(
  ctx: SystemContext,
  { user, accountId, email, action, secondFactor, outcome, code }: SignInEvent,
): Promise<void> {
  const { origin } = ctx;
  await recordAudit(ctx, {
    accountId: user?.accountId ?? accountId ?? (await ensureAccount(ctx)).accountId,
    environmentId: null,
    actor: {
      kind: "user",
      id: user?.id ?? null,
      name: user?.name ?? null,
      address: origin?.address ?? null,
      user_agent: origin?.userAgent?.slice(0, 255) ?? null,
    },
    via: "sign-in",
    action,
    target: {},
    fields: {
      ...(email === undefined ? {} : { email: await hashOfEntered(ctx, email) }),
      ...(secondFactor === undefined ? {} : { second_factor: secondFactor }),
    },
    before: null,
    requestId: origin?.requestId ?? null,
    outcome,
    code,
  });
}
