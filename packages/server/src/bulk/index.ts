// Owns jobs that do one action to many connections or syncs. Tables: bulk_jobs, bulk_items.
export { bulk } from "./slice.ts";
