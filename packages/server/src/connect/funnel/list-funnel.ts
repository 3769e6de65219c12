import type { connectFunnelRoutes, RouteOutput } from "@jackfield/contract";
import { addMs, DAY, type EnvironmentContext } from "#foundation";
import { getIntegration } from "#integrations";
import { flushStepCounts } from "./count-step.ts";
import { EVERY_INTEGRATION, type FunnelStep } from "./step.ts";
import { type StepSum, sumSteps } from "./store.ts";

type Funnel = RouteOutput<typeof connectFunnelRoutes.listConnectFunnel>["data"][number];

const USUAL_DAYS = 30;

interface Wanted {
  readonly integrationKey: string | undefined;
  /** `YYYY-MM-DD` in UTC. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** How far end users came with each integration, over the days. */
export async function listFunnel(
  ctx: EnvironmentContext,
  { integrationKey, from, to }: Wanted,
): Promise<Funnel[]> {
  const own = integrationKey === undefined ? undefined : await getIntegration(ctx, integrationKey);
  await flushStepCounts(ctx);
  const now = ctx.clock.now();
  const sums = await sumSteps(ctx.db, ctx.environment.id, {
    from:
      from ??
      addMs(now, -(USUAL_DAYS - 1) * DAY)
        .toISOString()
        .slice(0, 10),
    to: to ?? now.toISOString().slice(0, 10),
  });
  const open = sums.filter(({ integrationId }) => integrationId === EVERY_INTEGRATION);
  const byKey = Map.groupBy(sums, ({ integrationKey: key }) => key);
  const keys = own === undefined ? [...byKey.keys()] : [own.uniqueKey];
  return keys.flatMap((key) =>
    key === null ? [] : present(key, [...(byKey.get(key) ?? []), ...open]),
  );
}

/** Sessions that any integration was open to have offered this one, too. */
function present(key: string, sums: readonly StepSum[]): Funnel {
  const countOf = (wanted: FunnelStep) =>
    sums.reduce((sum, { step, count }) => (step === wanted ? sum + count : sum), 0);
  const failures = sums.filter(({ step }) => step === "failed");
  const [started, completed, failed] = [
    countOf("started"),
    countOf("completed"),
    countOf("failed"),
  ];
  return {
    provider_config_key: key,
    ...{ sessions: countOf("created"), opened: countOf("opened"), chosen: countOf("chosen") },
    ...{ started, completed, failed, abandoned: Math.max(0, started - completed - failed) },
    failures: failures.map(({ reason, count }) => ({ reason, count })),
  };
}
