import { type EnvironmentContext, serverState } from "#foundation";
import { CountBuffer } from "#foundation/db";
import { findCachedIntegration } from "#integrations";
import type { ConnectSession } from "../session.ts";
import { EVERY_INTEGRATION, type FunnelStep, type StepCount } from "./step.ts";
import { addStepCounts } from "./store.ts";

type Owner = Pick<EnvironmentContext, "state" | "db" | "log">;

const counter = serverState(
  ({ log }: Pick<EnvironmentContext, "log">) =>
    new CountBuffer<StepCount>({
      log,
      keyOf: ({ environmentId, day, integrationId, step, reason }) =>
        JSON.stringify([environmentId, day, integrationId, step, reason]),
      add: (known, next) => ({ ...known, count: known.count + next.count }),
      write: addStepCounts,
      delayed: "connect.funnel_delayed",
    }),
);

/** What a count has to know of its session. */
type CountedSession = Pick<ConnectSession, "createdAt" | "settings">;

/** Counts a step of a session for an integration; nothing is written yet. */
export function countStep(
  ctx: EnvironmentContext,
  { createdAt }: Pick<CountedSession, "createdAt">,
  counted: {
    readonly step: FunnelStep;
    readonly integrationId: number;
    readonly reason?: string;
    readonly count?: number;
  },
): void {
  const { step, integrationId, reason = "", count = 1 } = counted;
  const day = createdAt.toISOString().slice(0, 10);
  const environmentId = ctx.environment.id;
  counter.of(ctx).add(ctx.db, { environmentId, day, integrationId, step, reason, count });
}

/** Counts a step for all integrations that the session offers. */
export async function countForOffered(
  ctx: EnvironmentContext,
  session: CountedSession,
  step: "created" | "opened",
): Promise<void> {
  const { allowedIntegrations = [], purpose } = session.settings;
  if (purpose === "manage") return;
  if (allowedIntegrations.length === 0) {
    countStep(ctx, session, { step, integrationId: EVERY_INTEGRATION });
    return;
  }
  for (const key of new Set(allowedIntegrations)) {
    const integration = await findCachedIntegration(ctx, key);
    if (integration !== undefined) countStep(ctx, session, { step, integrationId: integration.id });
  }
}

/** Writes what has been counted; called at shutdown, and before this process answers with counts. */
export async function flushStepCounts(ctx: Owner): Promise<void> {
  await counter.of(ctx).flush();
}
