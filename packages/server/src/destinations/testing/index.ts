// Owns what tests of destinations share: buckets and databases of customers, and environments that deliver to them.
export { bucketEnvironment } from "./bucket-destinations.ts";
export { startTestBucket } from "./test-bucket.ts";
