import type { PlannedImpact } from "@jackfield/contract";
import { addMs, DAY, type EnvironmentContext, Pace } from "#foundation";
import { getIntegrationById, listRequestedScopes } from "#integrations";
import type { Change } from "../deploy/compare-functions.ts";
import type { PlannedFunction } from "../deploy/planned-function.ts";
import { describeReach } from "../egress/compare-egress.ts";
import { listFunctionsById } from "../get-function.ts";
import { flushRunCounts } from "../run-counts/count-run.ts";
import { listRunSums } from "../run-counts/store.ts";
import { describeImpact } from "./describe-impact.ts";
import { listConsumers } from "./list-consumers.ts";

const order = ["breaking", "removed", "compatible", "new"];
/** Functions that are compared without a pause for others. */
const AT_ONCE = 10;

interface Planned {
  readonly changes: readonly Change[];
  readonly deleted: readonly PlannedFunction[];
  /** Connections by their integration. */
  readonly counts: ReadonlyMap<number, number>;
}

/** What a deployment means to those who call its functions and read what they write. */
export async function listImpact(
  ctx: EnvironmentContext,
  { changes, deleted, counts }: Planned,
): Promise<PlannedImpact[]> {
  const changing = changes.filter(({ kind }) => kind !== "unchanged");
  const runs = await countRuns(ctx, [...changing.map(({ current }) => current), ...deleted]);
  const scopes = new RequestedScopes(ctx);
  const consumers = await findConsumers(ctx, changing, deleted);
  const toImpact = (fn: PlannedFunction, given: Pick<PlannedImpact, "effect" | "parts">) => ({
    ...{ type: fn.type, name: fn.name, providerConfigKey: fn.integrationKey, ...given },
    connections: counts.get(fn.integrationId) ?? 0,
    runs_24h: runs.get(fn.id ?? 0) ?? 0,
    consumers: consumers.get(fn.id ?? 0) ?? [],
  });
  const pace = new Pace(AT_ONCE);
  const found = deleted.map((fn) => toImpact(fn, { effect: "removed", parts: [] }));
  for (const { uploaded, current } of changing) {
    const { type, name, integrationId, integrationKey } = uploaded;
    const fn = { id: current?.id ?? 0, type, name, integrationId, integrationKey };
    if (current === undefined) {
      const reach = describeReach(uploaded.definition);
      const parts = reach.map((message) => ({
        ...{ part: "egress" as const, effect: "compatible" as const, message },
      }));
      found.push(toImpact(fn, { effect: "new", parts }));
      continue;
    }
    const requestedScopes = await scopes.of(integrationId);
    const parts = describeImpact(current, uploaded, { requestedScopes });
    const isBreaking = parts.some(({ effect }) => effect === "breaking");
    found.push(toImpact(fn, { effect: isBreaking ? "breaking" : "compatible", parts }));
    await pace.spend(1);
  }
  return found.toSorted((a, b) => order.indexOf(a.effect) - order.indexOf(b.effect));
}

async function findConsumers(
  ctx: EnvironmentContext,
  changing: readonly Change[],
  deleted: readonly PlannedFunction[],
) {
  const ids = deleted.flatMap(({ id }) => id ?? []);
  const removed = await listFunctionsById(ctx, ids);
  const current = changing.flatMap((change) => change.current ?? []);
  return await listConsumers(ctx, [...current, ...removed.values()]);
}

async function countRuns(
  ctx: EnvironmentContext,
  functions: readonly ({ readonly id?: number } | undefined)[],
): Promise<Map<number, number>> {
  await flushRunCounts(ctx);
  const functionIds = functions.flatMap((fn) => fn?.id ?? []);
  const since = addMs(ctx.clock.now(), -DAY);
  const sums = await listRunSums(ctx.db, ctx.environment.id, { functionIds, since });
  return new Map(sums.map(({ functionId, runs }) => [functionId, runs]));
}

/** Opens the credentials of each integration once. */
class RequestedScopes {
  readonly #ctx: EnvironmentContext;
  readonly #known = new Map<number, readonly string[]>();

  constructor(ctx: EnvironmentContext) {
    this.#ctx = ctx;
  }

  async of(integrationId: number): Promise<readonly string[]> {
    const known = this.#known.get(integrationId);
    if (known !== undefined) return known;
    const integration = await getIntegrationById(this.#ctx, integrationId);
    const scopes = await listRequestedScopes(this.#ctx, integration);
    this.#known.set(integrationId, scopes);
    return scopes;
  }
}
