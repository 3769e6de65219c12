import { createHash } from "node:crypto";
import type { SystemContext } from "#foundation";
import { lookupHash } from "#vault";
import { sorted } from "../event.ts";

type KeyHolder = Pick<SystemContext, "db" | "clock" | "keys">;

export type Part = "actor" | "subject";

/** Of one part of an event's details; without the salt, which is erased with them, it says nothing. */
export async function digestOfDetails(
  ctx: KeyHolder,
  { eventId, part, salt, data }: { eventId: string; part: Part; salt: Buffer; data: object },
): Promise<Buffer> {
  const text = JSON.stringify([eventId, part, salt.toString("hex"), canonicalOf(data)]);
  return await lookupHash(ctx, "audit_details", createHash("sha256").update(text).digest("hex"));
}

function canonicalOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return sorted(value).map(([name, inner]) => [name, canonicalOf(inner)]);
}

/** An address that somebody entered who was not recognized: what it is, they alone know. */
export async function hashOfEntered(ctx: KeyHolder, email: string): Promise<string> {
  const digest = createHash("sha256").update(email.toLowerCase()).digest("hex");
  return `#${(await lookupHash(ctx, "audit_field", digest)).toString("hex").slice(0, 16)}`;
}

/** By which details that name a person, or a connection, are found and erased. */
export async function detailLookup(
  ctx: KeyHolder,
  { kind, scope, value }: { kind: string; scope: string | null; value: string },
): Promise<string> {
  const text = JSON.stringify([kind, scope, value.toLowerCase()]);
  return (await lookupHash(ctx, "audit_detail", text)).toString("hex");
}
