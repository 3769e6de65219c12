import type { EnvironmentContext } from "#foundation";
import { emptyProblems } from "./store.ts";

/** Takes connections by name out of problems, and notes that hold one of the words; resolves to how many changed. */
export async function eraseFromProblems(
  ctx: EnvironmentContext,
  named: { readonly names: readonly string[]; readonly words: readonly string[] },
): Promise<number> {
  return await emptyProblems(ctx.db, ctx.environment.id, named);
}
