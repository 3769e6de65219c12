import type { RouteInput, recordDestinationRoutes } from "@jackfield/contract";
import { type EnvironmentContext, invalidFields, Secret } from "#foundation";
import { bucketAddressOf, bucketUrlOf } from "../bucket/bucket-address.ts";
import {
  type BucketDestination,
  type BucketPlace,
  type Destination,
  isBucket,
  isTable,
  type Place,
  type TableDestination,
} from "../destination.ts";
import { areCertificates } from "../target/connection/store.ts";
import { addressOf, readConnectionUrl } from "../target/connection-url.ts";
import { openBucket, openTarget, sealBucket, sealTarget } from "../target/sealed-target.ts";

export type Created = RouteInput<typeof recordDestinationRoutes.createRecordDestination>["body"];
export type Changed = RouteInput<typeof recordDestinationRoutes.updateRecordDestination>["body"];

/** Where records go, as it is stored. */
interface ChosenTarget {
  readonly place: Place;
  readonly address: string;
  readonly target: Buffer;
}

const DEFAULT_PREFIX = "jackfield";
const DEFAULT_INTERVAL_SECONDS = 60;

/** Throws invalid_body and destination_not_allowed. */
export async function toNewTarget(
  ctx: EnvironmentContext,
  id: string,
  body: Created,
): Promise<ChosenTarget> {
  const ca = body.ca_certificate ?? null;
  requireCertificates(ca);
  if (body.type === "postgres") {
    const { url, table, schema = "public" } = body;
    const address = await requireDatabase(ctx, url);
    const target = await sealTarget(ctx, id, { url: new Secret(url), ca });
    return { place: { type: "postgres", schema, table }, address, target };
  }
  const place: BucketPlace = {
    type: "s3",
    endpoint: body.endpoint ?? null,
    region: body.region,
    bucket: body.bucket,
    prefix: body.prefix ?? DEFAULT_PREFIX,
    format: body.format,
    intervalSeconds: body.interval_seconds ?? DEFAULT_INTERVAL_SECONDS,
  };
  await ctx.http.requireAllowedUrl(bucketUrlOf(place));
  const target = await sealBucket(ctx, id, {
    accessKeyId: body.access_key_id,
    secretAccessKey: new Secret(body.secret_access_key),
    ca,
  });
  return { place, address: bucketAddressOf(place), target };
}

/** Throws invalid_body and destination_not_allowed. */
export async function toChangedTarget(
  ctx: EnvironmentContext,
  destination: Destination,
  body: Changed,
): Promise<ChosenTarget> {
  requireCertificates(body.ca_certificate ?? null);
  if (isTable(destination)) return await toChangedTable(ctx, destination, body);
  if (isBucket(destination)) return await toChangedBucket(ctx, destination, body);
  throw new Error("This release knows no destination of that type.");
}

async function toChangedTable(
  ctx: EnvironmentContext,
  destination: TableDestination,
  body: Changed,
): Promise<ChosenTarget> {
  refuse(body, ["access_key_id", "secret_access_key", "interval_seconds"], "postgres");
  const secrets = await openTarget(ctx, destination);
  const url = body.url ?? secrets.url.reveal();
  const ca = body.ca_certificate === undefined ? secrets.ca : body.ca_certificate;
  const address = await requireDatabase(ctx, url);
  const target = await sealTarget(ctx, destination.id, { url: new Secret(url), ca });
  return { place: destination.place, address, target };
}

async function toChangedBucket(
  ctx: EnvironmentContext,
  destination: BucketDestination,
  body: Changed,
): Promise<ChosenTarget> {
  refuse(body, ["url"], "s3");
  const { access_key_id: keyId, secret_access_key: secret } = body;
  if ((keyId === undefined) !== (secret === undefined)) {
    throw invalidFields("invalid_body", [
      {
        path: [keyId === undefined ? "access_key_id" : "secret_access_key"],
        message: "is missing: an access key and its secret change together",
      },
    ]);
  }
  const secrets = await openBucket(ctx, destination);
  const intervalSeconds = body.interval_seconds ?? destination.place.intervalSeconds;
  const place = { ...destination.place, intervalSeconds };
  await ctx.http.requireAllowedUrl(bucketUrlOf(place));
  const target = await sealBucket(ctx, destination.id, {
    accessKeyId: keyId ?? secrets.accessKeyId,
    secretAccessKey: secret === undefined ? secrets.secretAccessKey : new Secret(secret),
    ca: body.ca_certificate === undefined ? secrets.ca : body.ca_certificate,
  });
  return { place, address: destination.address, target };
}

/** The address, once it is one that may be connected to. */
async function requireDatabase(ctx: EnvironmentContext, url: string): Promise<string> {
  const target = readConnectionUrl(url);
  const { host, port } = target;
  await ctx.http.requireAllowedUrl(`https://${host.includes(":") ? `[${host}]` : host}:${port}`);
  return addressOf(target);
}

function requireCertificates(ca: string | null): void {
  if (ca === null || areCertificates(ca)) return;
  throw invalidFields("invalid_body", [
    { path: ["ca_certificate"], message: "must be certificates in PEM" },
  ]);
}

function refuse(body: Changed, fields: readonly (keyof Changed)[], type: Place["type"]): void {
  const found = fields.filter((field) => body[field] !== undefined);
  if (found.length === 0) return;
  const message = `is not for a destination of type \`${type}\``;
  throw invalidFields(
    "invalid_body",
    found.map((field) => ({ path: [field], message })),
  );
}
