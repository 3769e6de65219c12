import { AppError, type EnvironmentContext } from "#foundation";
import { type AllowedDeletes, allowDeletes, storedModel } from "#records";
import { getTargetSyncs } from "./find-target-syncs.ts";

/**
 * Lets the next run of a sync delete as many records as the delete guard has refused; 400
 * `no_refused_deletes` when it has refused none.
 */
export async function confirmDeletes(
  ctx: EnvironmentContext,
  wanted: {
    integrationKey: string;
    connectionId: string;
    sync: { readonly name: string; readonly variant: string };
  },
): Promise<AllowedDeletes[]> {
  const { sync, ...place } = wanted;
  const { syncs, functions } = await getTargetSyncs(ctx, { ...place, syncs: [sync] });
  const allowed: AllowedDeletes[] = [];
  for (const { connectionUuid: connection, functionId, variant } of syncs) {
    const declared = functions.get(functionId)?.definition.models ?? [];
    const models = declared.map((model) => storedModel(model, variant));
    allowed.push(...(await allowDeletes(ctx, { connection, models })));
  }
  if (allowed.length === 0) {
    throw new AppError(
      "no_refused_deletes",
      `The delete guard has stopped no run of sync "${sync.name}" since deletions were last allowed.`,
    );
  }
  return allowed;
}
