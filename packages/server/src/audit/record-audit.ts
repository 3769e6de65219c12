import { randomUUID } from "node:crypto";
import type { SystemContext } from "#platform";
import { notifyDue } from "#tasks";
import { lookupHash } from "#vault";
import { SEALING } from "./chain/seal-events.ts";
import { type AuditEvent, canonical } from "./event.ts";
import { insertEvent } from "./store.ts";

/** Adds a row, in the caller's transaction where there is one. */
export async function recordAudit(
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
  given: Omit<AuditEvent, "id" | "at">,
): Promise<void> {
  const event = { ...given, id: randomUUID(), at: ctx.clock.now() };
  const mac = await lookupHash(ctx, "audit_event", canonical(event));
  await insertEvent(ctx.db, { ...event, mac });
  await notifyDue(ctx, SEALING);
}
