import type { EnvironmentContext } from "#foundation";
import { open } from "#vault";
import { bodyAad, payloadAad } from "./delivery.ts";
import { readLargeBody } from "./sending/store.ts";

/** What a delivery has of its own; `body` is null where it is large, and read here. */
export async function openOwn(
  ctx: EnvironmentContext,
  { id, body }: { id: string; body: Buffer | null },
): Promise<Buffer> {
  const environmentId = ctx.environment.id;
  const table = "webhook_deliveries";
  const sealed = body ?? (await readLargeBody(ctx.db, environmentId, { table, id }));
  if (sealed === undefined) throw new Error(`delivery ${id} was deleted while it was read`);
  return await open(ctx, bodyAad(environmentId, id), sealed);
}

/** What it has in common with others; `payload` is null where it is large, and read here. */
export async function openShared(
  ctx: EnvironmentContext,
  { payloadId: id, payload }: { payloadId: string; payload: Buffer | null },
): Promise<Buffer> {
  const environmentId = ctx.environment.id;
  const table = "webhook_payloads";
  const sealed = payload ?? (await readLargeBody(ctx.db, environmentId, { table, id }));
  if (sealed === undefined) throw new Error(`payload ${id} was deleted while it was read`);
  return await open(ctx, payloadAad(environmentId, id, "body"), sealed);
}
