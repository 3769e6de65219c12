// Owns what is remembered of the database between calls, and how long it may be believed.
export {
  CHANGES,
  catchUpLookups,
  defineLookup,
  type Found,
  openLookups,
} from "./lookup.ts";
