import { getEnvironmentSettings } from "#environments";
import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { getFunctionById } from "#functions";
import type { RunIdentity } from "#slice";
import { listRefusals, type RefusedDeletes } from "../store.ts";
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

/** Deletions that the guard has refused and nobody has allowed yet. */
export async function listRefusedDeletes(
  ctx: EnvironmentContext,
  { connections }: { connections: readonly ConnectionUuid[] },
): Promise<RefusedDeletes[]> {
  return await listRefusals(ctx.db, ctx.environment.id, connections);
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
