// Owns what a server caches of the database, and for how long.
export {
  CHANGES,
  catchUpCaches,
  defineCache,
  type Found,
  openCaches,
} from "./cache.ts";
