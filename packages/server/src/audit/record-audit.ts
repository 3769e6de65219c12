import { randomBytes, randomUUID } from "node:crypto";
import type { SystemContext } from "#foundation";
import { withTransaction } from "#foundation/db";
import { notifyDue } from "#tasks";
import { lookupHash } from "#vault";
import { SEALING } from "./chain/seal-events.ts";
import { detailLookup, digestOfDetails, type Part } from "./details/digest.ts";
import { splitDetails } from "./details/split-details.ts";
import { type DetailRow, insertDetails } from "./details/store.ts";
import { type AuditEvent, canonical } from "./event.ts";
import { insertEvent } from "./store.ts";

type Recorder = Pick<SystemContext, "db" | "clock" | "keys">;

const SALT_BYTES = 16;

/** Adds a row, in the caller's transaction where there is one. */
export async function recordAudit(
  ctx: Recorder,
  given: Omit<AuditEvent, "id" | "at">,
): Promise<void> {
  const event = { ...given, id: randomUUID(), at: ctx.clock.now() };
  const { kept, details } = splitDetails(event);
  const actor = await toRow(ctx, event, { part: "actor", data: details.actor });
  const named = Object.values(details.subject).flatMap((texts) => Object.entries(texts));
  const subject =
    named.length === 0
      ? undefined
      : await toRow(ctx, event, { part: "subject", data: details.subject });
  const digests = {
    actorDigest: actor.digest,
    subjectDigest: subject?.digest ?? null,
  };
  const mac = await lookupHash(ctx, "audit_event", canonical({ ...kept, ...digests }));
  await withTransaction({ db: ctx.db }, async ({ db }) => {
    await insertEvent(db, { ...kept, ...digests, mac });
    await insertDetails(db, subject === undefined ? [actor] : [actor, subject]);
  });
  await notifyDue(ctx, SEALING);
}

async function toRow(
  ctx: Recorder,
  event: AuditEvent,
  { part, data }: { part: Part; data: object },
): Promise<DetailRow & { digest: Buffer }> {
  const salt = randomBytes(SALT_BYTES);
  const { id: eventId } = event;
  const digest = await digestOfDetails(ctx, { eventId, part, salt, data });
  return { eventId, part, data, salt, digest, lookups: await lookupsOf(ctx, event, part) };
}

/** Of the person who acted, and of whom and what it was done to. */
async function lookupsOf(ctx: Recorder, event: AuditEvent, part: Part): Promise<string[]> {
  const { actor, environmentId } = event;
  const hash = async (kind: string, scope: string | null, value: string) =>
    await detailLookup(ctx, { kind, scope, value });
  if (part === "actor") {
    if (actor.kind !== "user") return [];
    if (actor.id !== null) return [await hash("user", null, actor.id)];
    const { email } = event.fields;
    return email === undefined ? [] : [await hash("email", null, email)];
  }
  const texts = [event.target, event.fields, event.before ?? {}];
  const named = texts.flatMap((each) => Object.entries(each));
  const found = named.flatMap(([name, value]) => {
    if (name === "email") return [hash("email", null, value)];
    if (name === "connection_id" || name === "end_user_id")
      return [hash(name, environmentId, value)];
    return name === "id" ? [hash("user", null, value)] : [];
  });
  // People change their own name.
  if (actor.kind === "user" && actor.id !== null && event.action.endsWith("Me")) {
    found.push(hash("user", null, actor.id));
  }
  return [...new Set(await Promise.all(found))];
}
