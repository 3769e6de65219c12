import type { Minted } from "#auth-modes";
import type { ConnectionUuid, EnvironmentContext } from "#foundation";
import { type AssociatedData, openJson, sealJson } from "#vault";

/** Credentials of a hand-over that is not finished. */
export async function sealTaken(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
  minted: Minted,
): Promise<Buffer> {
  return await sealJson(ctx, aadOf(ctx, uuid), minted);
}

/** Throws decryption_failed. */
export async function openTaken(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
  sealed: Buffer,
): Promise<Minted> {
  const stored = asStored(await openJson(ctx, aadOf(ctx, uuid), sealed));
  const { expiresAt } = stored;
  return { ...stored, expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt) };
}

function aadOf({ environment }: EnvironmentContext, row: ConnectionUuid): AssociatedData {
  return {
    ...{ environmentId: environment.id, table: "old_platform_connections" },
    ...{ column: "taken", row },
  };
}

// Authenticated encryption: what opens is what sealTaken was given, with dates as text.
function asStored(opened: unknown): Minted {
  return opened as Minted;
}
