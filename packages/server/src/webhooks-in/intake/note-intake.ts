import { AppError, type EnvironmentContext, serverState } from "#foundation";
import { CountBuffer } from "#foundation/db";
import type { Integration } from "#integrations";
import { addIntake, type Intake, type RejectionReason, reasonOfCode, toIntake } from "./intake.ts";
import { addIntakes } from "./store.ts";

type Owner = Pick<EnvironmentContext, "state" | "db" | "log">;

const buffers = serverState(
  ({ log }: Pick<EnvironmentContext, "log">) =>
    new CountBuffer<Intake>({
      log,
      keyOf: ({ environmentId, integrationId }) => `${environmentId} ${integrationId}`,
      add: addIntake,
      write: addIntakes,
      delayed: "inbox.intake_delayed",
    }),
);

/** Notes a webhook that was stored; nothing is written yet. */
export function noteStored(
  ctx: EnvironmentContext,
  { id: integrationId }: Pick<Integration, "id">,
  stored: { readonly at: Date; readonly isVerified: boolean; readonly lacksSecret: boolean },
): void {
  const { at, isVerified, lacksSecret } = stored;
  const reason: RejectionReason | undefined = lacksSecret ? "no_secret" : undefined;
  const intake = { at, isVerified, isStored: true, reason };
  buffers
    .of(ctx)
    .add(ctx.db, toIntake({ environmentId: ctx.environment.id, integrationId }, intake));
}

/** Notes why a webhook was refused: a flood of them is a sum in memory, written every few seconds. */
export function noteRefused(
  ctx: EnvironmentContext,
  { id: integrationId }: Pick<Integration, "id">,
  thrown: unknown,
): void {
  const reason = thrown instanceof AppError ? reasonOfCode(thrown.code) : undefined;
  if (reason === undefined) return;
  const intake = { at: ctx.clock.now(), isVerified: false, isStored: false, reason };
  buffers
    .of(ctx)
    .add(ctx.db, toIntake({ environmentId: ctx.environment.id, integrationId }, intake));
}

/** Writes what waits; called at shutdown, and before this process answers with it. */
export async function flushIntake(ctx: Owner): Promise<void> {
  await buffers.of(ctx).flush();
}
