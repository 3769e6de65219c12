import { claimHead } from "#audit";
import { listAuditReceivers } from "#environments";
import {
  addMs,
  type EnvironmentContext,
  type EnvironmentId,
  HOUR,
  MINUTE,
  reasonOf,
  SECOND,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import { listSilent, silence, WorkerAway, withTimeout, withTransaction } from "#foundation/db";
import type { DueClaim, DueWork } from "#tasks";
import { areDeliveriesPrepared } from "./distributed/is-prepared.ts";
import { sendWebhook } from "./send-webhook.ts";

/** Sends the end of the audit log's chain to those who keep it elsewhere: once an hour, where it has grown. */
export function createHeadSending(): DueWork {
  return {
    name: "audit-head",
    async claim(ctx): Promise<DueClaim> {
      try {
        await sendAuditHead(ctx);
        return { claimed: 0, nextDueAt: addMs(ctx.clock.now(), HOUR) };
      } catch (error) {
        ctx.log.error("audit.head_not_sent", { reason: reasonOf(error) });
        return { claimed: 0, nextDueAt: addMs(ctx.clock.now(), RETRIED_AFTER_MS) };
      }
    },
  };
}

/** In a sending, receivers that it finds silent, at most; with more of them it fails, and the next one begins without those. */
const MOST_LEFT = 8;
const RETRIED_AFTER_MS = MINUTE;

/** How many environments it was sent to. Where tables are distributed, one whose server does not answer gets the next one. */
export async function sendAuditHead(ctx: SystemContext, tries = MOST_LEFT): Promise<number> {
  const silent = new Set(listSilent(ctx));
  const receivers = (await listAuditReceivers(ctx.db)).filter(({ id }) => !silent.has(id));
  if (receivers.length === 0) return 0;
  const isPrepared = await areDeliveriesPrepared(ctx);
  let asked: EnvironmentId | undefined;
  try {
    return await withTransaction(ctx, async (ctx) => {
      const head = await claimHead(ctx, HOUR);
      if (head === undefined) return 0;
      for (const environment of receivers) {
        asked = environment.id;
        const send = async () => await sendTo(withEnvironment(ctx, environment), head);
        await (isPrepared ? withTimeout(ctx.db, SECOND, send) : send());
      }
      return receivers.length;
    });
  } catch (error) {
    if (!(error instanceof WorkerAway) || asked === undefined || tries === 0) throw error;
    // It undoes the sending to all, which is repeated without it.
    silence.of(ctx).note(asked, ctx.clock.now());
    return await sendAuditHead(ctx, tries - 1);
  }
}

type Head = NonNullable<Awaited<ReturnType<typeof claimHead>>>;

async function sendTo(ctx: EnvironmentContext, head: Head): Promise<void> {
  await sendWebhook(ctx, {
    type: "audit",
    body: {
      from: "svc",
      type: "audit",
      environment: ctx.environment.name,
      sealId: head.id,
      seal: head.seal.toString("hex"),
      sealedAt: head.sealedAt.toISOString(),
    },
  });
}
