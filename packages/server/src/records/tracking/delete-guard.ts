import { getEnvironmentSettings } from "#environments";
import { getFunctionById } from "#functions";
import type { ConnectionUuid, EnvironmentContext } from "#platform";
import type { RunIdentity } from "#slice";
import { allowRefusedDeletes } from "./store.ts";

/** The share of a model's records that a run of this sync may delete; undefined for any. */
export async function readGuardShare(
  ctx: EnvironmentContext,
  run: Pick<RunIdentity, "functionId" | "integration">,
): Promise<number | undefined> {
  const { share, syncs } = (await getEnvironmentSettings(ctx)).delete_guard;
  if (share === null && Object.keys(syncs).length === 0) return undefined;
  const { name } = await getFunctionById(ctx, run.functionId);
  return syncs[`${run.integration}/${name}`] ?? share ?? undefined;
}

export interface AllowedDeletes {
  /** As the model is stored. */
  readonly model: string;
  readonly deletes: number;
}

/** Lets the next run delete as many records as the guard has refused; models without a refusal stay out. */
export async function allowDeletes(
  ctx: EnvironmentContext,
  wanted: { connection: ConnectionUuid; models: readonly string[] },
): Promise<AllowedDeletes[]> {
  return await allowRefusedDeletes(ctx.db, ctx.environment.id, wanted);
}
