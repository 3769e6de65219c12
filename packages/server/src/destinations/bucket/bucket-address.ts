import type { BucketPlace } from "../destination.ts";

/** Address of the bucket, without a slash behind it. What is not Amazon's has buckets in the path only. */
export function bucketUrlOf({ endpoint, region, bucket }: BucketPlace): string {
  if (endpoint !== null) return `${endpoint.replace(/\/$/, "")}/${bucket}`;
  const host = `s3.${region}.amazonaws.com`;
  // The certificates of Amazon cover one label before the host.
  return bucket.includes(".") ? `https://${host}/${bucket}` : `https://${bucket}.${host}`;
}

/** Host and bucket, to be shown. */
export function bucketAddressOf({ endpoint, region, bucket }: BucketPlace): string {
  const host = endpoint === null ? `s3.${region}.amazonaws.com` : new URL(endpoint).host;
  return `${host}/${bucket}`;
}

/** Where objects of a generation are. */
export function folderOf({ prefix }: BucketPlace, generation: number): string {
  return `${prefix}/${generation}`;
}
