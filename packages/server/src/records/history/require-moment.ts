import type { EnvironmentContext } from "#foundation";
import { invalidFields } from "#foundation/validation";
import { areRecordsPartitioned } from "../store.ts";
import { earliestOf, listHistories } from "./keep-history.ts";

/** Throws invalid_query_params unless the records of a model are known as they were at the moment. */
export async function requireMoment(
  ctx: EnvironmentContext,
  { model, asOf }: { readonly model: string; readonly asOf: string },
): Promise<void> {
  const history = (await listHistories(ctx)).find((each) => each.model === model);
  if (history === undefined) {
    const needed = `needs the history of ${model}, which is not kept`;
    if (!(await areRecordsPartitioned(ctx.db))) throw fault(`${needed}: a cluster keeps none`);
    throw fault(`${needed}; \`PUT /records/history/${model}\` keeps it from then on`);
  }
  const [moment, now] = [Date.parse(asOf), ctx.clock.now()];
  if (moment > now.getTime()) throw fault("is in the future");
  const earliest = earliestOf(history, now);
  if (moment < earliest.getTime()) {
    throw fault(`is before ${earliest.toISOString()}, where the history of ${model} begins`);
  }
}

function fault(message: string) {
  return invalidFields("invalid_query_params", [{ path: ["as_of"], message }]);
}
