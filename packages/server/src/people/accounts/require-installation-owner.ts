import { requireFirstAccount } from "#accounts";
import { AppError, type SystemContext } from "#foundation";

/** Throws feature_disabled in an installation with one account, and forbidden for callers of another than the first. */
export async function requireInstallationOwner(ctx: SystemContext): Promise<void> {
  if (!ctx.settings.severalAccounts) {
    throw new AppError(
      "feature_disabled",
      "This installation has one account; its operator allows others with SVC_ACCOUNTS=many.",
    );
  }
  await requireFirstAccount(ctx, "looks after accounts");
}
