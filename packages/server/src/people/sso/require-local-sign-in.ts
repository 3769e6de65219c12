import { AppError, type SystemContext } from "#foundation";
import { listGrants, type UserRow } from "../users/store.ts";
import { findProviderOf } from "./store.ts";

/** Throws sso_required for a user who may sign in by the account's identity provider alone. */
export async function requireLocalSignIn(
  ctx: SystemContext,
  { id, accountId }: UserRow,
): Promise<void> {
  const provider = await findProviderOf(ctx.db, accountId);
  if (provider?.isRequired !== true) return;
  const grants = await listGrants(ctx.db, id);
  if (ctx.settings.ownersSignInLocally && grants.some(({ role }) => role === "owner")) return;
  throw new AppError("sso_required", `Sign in with ${provider.name}.`);
}
