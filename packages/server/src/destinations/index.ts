// Owns destinations: tables in customers' databases and folders in their buckets, to which the changes of records are
// delivered. `settings/` is what calls choose, `delivering/` reads the feed and writes batches, `target/` is a customer's
// database, `bucket/` a bucket. Tables: record_destinations. How far a table is filled is stored next to it, and nowhere
// else; how far a bucket is filled is stored here.
export { deleteDestinationsOfEnvironment } from "./delete-destinations.ts";
export { destinations } from "./slice.ts";
export { pauseDestinations } from "./store.ts";
