import { hash } from "node:crypto";
import { recordAudit } from "#audit";
import type { SystemContext } from "#platform";
import { lookupHash } from "#vault";

export interface SignInEvent {
  /** Undefined where nobody was recognised. */
  readonly user?: { readonly id: string; readonly name: string; readonly accountId: string };
  /** As it was entered; only a keyed hash of it is kept. */
  readonly email?: string;
  readonly action: string;
  readonly outcome: "done" | "refused";
  readonly code: string | null;
}

/** Leaves a row of who has signed in, or tried to. */
export async function recordSignIn(
  ctx: SystemContext,
  { user, email, action, outcome, code }: SignInEvent,
): Promise<void> {
  const { origin } = ctx;
  await recordAudit(ctx, {
    accountId: user?.accountId ?? null,
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
    fields: email === undefined ? {} : { email: await hashOf(ctx, email) },
    requestId: origin?.requestId ?? null,
    outcome,
    code,
  });
}

async function hashOf(ctx: SystemContext, email: string): Promise<string> {
  const digest = hash("sha256", email.toLowerCase(), "hex");
  return `#${(await lookupHash(ctx, "audit_field", digest)).toString("hex").slice(0, 16)}`;
}
