// Owns on whose behalf something is done, and what that one holds.
export {
  type Actor,
  accountOf,
  endOf,
  holdsScope,
  type KeyBounds,
  requireStepUp,
  rowsOfActor,
  scopesOf,
} from "./actor.ts";
