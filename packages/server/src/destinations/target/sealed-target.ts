import * as z from "zod";
import { type EnvironmentContext, Secret } from "#platform";
import { type AssociatedData, openJson, sealJson } from "#vault";
import { type ConnectionTarget, readConnectionUrl } from "./connection-url.ts";

/** What is stored of a target. */
export interface TargetSecrets {
  readonly url: Secret<string>;
  /** PEM; null for the usual authorities. */
  readonly ca: string | null;
}

const stored = z.strictObject({ url: z.string(), ca: z.string().nullable() });

export async function sealTarget(
  ctx: EnvironmentContext,
  id: string,
  { url, ca }: TargetSecrets,
): Promise<Buffer> {
  return await sealJson(ctx, targetAad(ctx, id), { url: url.reveal(), ca });
}

/** Throws decryption_failed. */
export async function openTarget(
  ctx: EnvironmentContext,
  { id, target }: { readonly id: string; readonly target: Buffer },
): Promise<TargetSecrets> {
  const { url, ca } = stored.parse(await openJson(ctx, targetAad(ctx, id), target));
  return { url: new Secret(url), ca };
}

export function readTarget({ url }: TargetSecrets): ConnectionTarget {
  return readConnectionUrl(url.reveal());
}

function targetAad({ environment }: EnvironmentContext, id: string): AssociatedData {
  return { environmentId: environment.id, table: "record_destinations", column: "target", row: id };
}
