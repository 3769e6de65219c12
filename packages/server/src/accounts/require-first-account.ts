import { AppError, accountOf, type SystemContext } from "#foundation";
import { isFirstAccount } from "./is-first-account.ts";

/** Throws forbidden for callers of another account than the one that the installation was made with; `does`: what is only its own. */
export async function requireFirstAccount(ctx: SystemContext, does: string): Promise<void> {
  if (await isFirstAccount(ctx, accountOf(ctx.actor))) return;
  throw new AppError("forbidden", `Only the account that the installation was made with ${does}.`);
}
