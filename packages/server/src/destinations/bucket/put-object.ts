import { signSigV4 } from "#auth-modes";
import { type EnvironmentContext, SECOND } from "#foundation";
import type { BucketPlace } from "../destination.ts";
import { DeliveryError } from "../target/delivery-error.ts";
import type { BucketSecrets } from "../target/sealed-target.ts";
import { bucketUrlOf } from "./bucket-address.ts";

const PUT_MS = 30 * SECOND;
/** Of an error in XML. */
const MOST_ANSWER_BYTES = 64 * 1024;

/** A bucket, and who signs in there. */
export interface BucketTarget {
  readonly place: BucketPlace;
  readonly secrets: BucketSecrets;
}

/**
 * Writes an object, or replaces the one of that name. The payload is signed, so that the service refuses one that was
 * changed on the way.
 */
export async function putObject(
  ctx: EnvironmentContext,
  { place, secrets }: BucketTarget,
  object: { readonly name: string; readonly body: Uint8Array; readonly contentType: string },
): Promise<void> {
  // Names hold what a path may hold without being encoded.
  const url = `${bucketUrlOf(place)}/${object.name}`;
  const headers = new Map([["content-type", object.contentType]]);
  const signed = signSigV4({
    ...{ method: "PUT", url, headers, body: object.body, region: place.region, service: "s3" },
    keys: {
      accessKeyId: secrets.accessKeyId,
      secretAccessKey: secrets.secretAccessKey.reveal(),
    },
    now: ctx.clock.now(),
  });
  const answer = await ctx.http.request({
    ...{ method: "PUT", url, body: object.body },
    headers: Object.fromEntries([...headers, ...signed]),
    ...{ timeoutMs: PUT_MS, maxResponseBytes: MOST_ANSWER_BYTES, signal: ctx.signal },
    ...(secrets.ca === null ? {} : { authorities: secrets.ca }),
  });
  if (answer.status < 200 || answer.status > 299) {
    throw refusalOf(answer.status, answer.body.toString("utf8"));
  }
}

function refusalOf(status: number, xml: string): DeliveryError {
  const code = /<Code>([A-Za-z0-9.]{1,60})<\/Code>/.exec(xml)?.[1] ?? `http_${status}`;
  const said = /<Message>([^<]{1,300})/.exec(xml)?.[1]?.replaceAll(/[^ -~]+/g, " ") ?? "no reason";
  return new DeliveryError(
    code,
    `The bucket refused an object with ${status}: ${said}. ${adviceFor(status, code)}`,
  );
}

function adviceFor(status: number, code: string): string {
  if (code === "NoSuchBucket") return "Create the bucket, or correct its name and region.";
  if (code === "RequestTimeTooSkewed") return "Correct the clock of the server.";
  if (status >= 300 && status < 400) {
    return "Buckets are not followed to other addresses: correct `region` or `endpoint`.";
  }
  if (status === 401 || status === 403) {
    return "Correct `access_key_id` and `secret_access_key`; the key needs `s3:PutObject` for the prefix.";
  }
  return "The server tries again.";
}
