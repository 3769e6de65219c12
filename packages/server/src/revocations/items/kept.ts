import type { SealedRevocation } from "#connections";
import type { EnvironmentContext } from "#foundation";
import { type AssociatedData, openJson, sealJson } from "#vault";
import type { Item } from "../revocation.ts";

type Name = Pick<Item, "revocationId" | "position">;

/** What a withdrawal needs of a connection whose row is about to lose it. */
export async function sealKept(
  ctx: EnvironmentContext,
  item: Name,
  revocation: SealedRevocation,
): Promise<Buffer> {
  return await sealJson(ctx, aadOf(ctx, item), revocation);
}

export async function openKept(
  ctx: EnvironmentContext,
  item: Name,
  kept: Buffer,
): Promise<SealedRevocation> {
  return asRevocation(await openJson(ctx, aadOf(ctx, item), kept));
}

function aadOf(
  { environment }: EnvironmentContext,
  { revocationId, position }: Name,
): AssociatedData {
  return {
    environmentId: environment.id,
    ...{ table: "revocation_items", column: "kept", row: `${revocationId}/${position}` },
  };
}

// Authenticated encryption: what opens is what sealKept was given.
function asRevocation(opened: unknown): SealedRevocation {
  return opened as SealedRevocation;
}
