// Owns destinations: tables in customers' databases to which the changes of records are delivered. `settings/` is what
// calls choose, `delivering/` reads the feed and writes batches, `target/` is the customer's database. Tables:
// record_destinations. How far a table is filled is stored next to it, and nowhere else.
export { deleteDestinationsOfEnvironment } from "./delete-destinations.ts";
export { destinations } from "./slice.ts";
export { pauseDestinations } from "./store.ts";
