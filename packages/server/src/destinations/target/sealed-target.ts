import * as z from "zod";
import { type EnvironmentContext, Secret } from "#foundation";
import { type AssociatedData, openJson, sealJson } from "#vault";
import type { BucketDestination, TableDestination } from "../destination.ts";
import { type ConnectionTarget, readConnectionUrl } from "./connection-url.ts";

/** What is stored of a database. */
export interface TargetSecrets {
  readonly url: Secret<string>;
  /** PEM; null for the usual authorities. */
  readonly ca: string | null;
}

/** What is stored of a bucket. */
export interface BucketSecrets {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret<string>;
  /** PEM; null for the usual authorities. */
  readonly ca: string | null;
}

const storedTarget = z.strictObject({ url: z.string(), ca: z.string().nullable() });
const storedBucket = z.strictObject({
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  ca: z.string().nullable(),
});

export async function sealTarget(
  ctx: EnvironmentContext,
  id: string,
  { url, ca }: TargetSecrets,
): Promise<Buffer> {
  return await sealJson(ctx, targetAad(ctx, id), { url: url.reveal(), ca });
}

export async function sealBucket(
  ctx: EnvironmentContext,
  id: string,
  { accessKeyId, secretAccessKey, ca }: BucketSecrets,
): Promise<Buffer> {
  const plain = { accessKeyId, secretAccessKey: secretAccessKey.reveal(), ca };
  return await sealJson(ctx, targetAad(ctx, id), plain);
}

/** Throws decryption_failed. */
export async function openTarget(
  ctx: EnvironmentContext,
  { id, target }: Pick<TableDestination, "id" | "target">,
): Promise<TargetSecrets> {
  const { url, ca } = storedTarget.parse(await openJson(ctx, targetAad(ctx, id), target));
  return { url: new Secret(url), ca };
}

/** Throws decryption_failed. */
export async function openBucket(
  ctx: EnvironmentContext,
  { id, target }: Pick<BucketDestination, "id" | "target">,
): Promise<BucketSecrets> {
  const { secretAccessKey, ...rest } = storedBucket.parse(
    await openJson(ctx, targetAad(ctx, id), target),
  );
  return { ...rest, secretAccessKey: new Secret(secretAccessKey) };
}

export function readTarget({ url }: TargetSecrets): ConnectionTarget {
  return readConnectionUrl(url.reveal());
}

function targetAad({ environment }: EnvironmentContext, id: string): AssociatedData {
  return { environmentId: environment.id, table: "record_destinations", column: "target", row: id };
}
