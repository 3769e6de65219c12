import { createHash } from "node:crypto";
import type { SystemContext } from "#foundation";
import { lookupHash } from "#vault";
import { canonical } from "../event.ts";
import type { Head, Seal, SealableRow } from "./store.ts";

type KeyHolder = Pick<SystemContext, "db" | "clock" | "keys">;

/** What the chain begins with. */
export const BEGINNING = Buffer.alloc(32);

/** Of events in their order, each with its place. */
export function digestOf(rows: readonly SealableRow[]): Buffer {
  const hash = createHash("sha256");
  for (const row of rows) hash.update(`${row.sequence} ${row.mac.toString("hex")}\n`);
  return hash.digest();
}

export async function sealOf(
  ctx: KeyHolder,
  before: Buffer,
  { id, events, digest, sealedAt }: Omit<Seal, "seal">,
): Promise<Buffer> {
  const parts = [
    before.toString("hex"),
    id,
    events,
    digest.toString("hex"),
    sealedAt.toISOString(),
  ];
  return await lookupHash(ctx, "audit_seal", JSON.stringify(parts));
}

export async function headMac(ctx: KeyHolder, head: Omit<Head, "mac">): Promise<Buffer> {
  return await lookupHash(ctx, "audit_head", JSON.stringify([head.lastSeal, head.prunedUntil]));
}

export async function hasOwnMac(ctx: KeyHolder, row: SealableRow): Promise<boolean> {
  return row.mac.equals(await lookupHash(ctx, "audit_event", canonical(row)));
}
