import * as z from "zod";
import { type EnvironmentContext, Secret } from "#foundation";
import { type AssociatedData, openJson, sealJson } from "#vault";
import type { OldPlatform } from "../old-platform.ts";

const stored = z.strictObject({ key: z.string() });

export async function sealSecretKey(
  ctx: EnvironmentContext,
  id: string,
  key: Secret<string>,
): Promise<Buffer> {
  return await sealJson(ctx, aadOf(ctx, id), { key: key.reveal() });
}

/** Throws decryption_failed. */
export async function openSecretKey(
  ctx: EnvironmentContext,
  { id, secretKey }: Pick<OldPlatform, "id" | "secretKey">,
): Promise<Secret<string>> {
  const { key } = stored.parse(await openJson(ctx, aadOf(ctx, id), secretKey));
  return new Secret(key);
}

function aadOf({ environment }: EnvironmentContext, id: string): AssociatedData {
  return { environmentId: environment.id, table: "old_platforms", column: "secret_key", row: id };
}
