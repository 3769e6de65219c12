// Owns what a slice is: the value that each slice exports, and the types of what it may hold.
export type {
  AnyRuntimeCall,
  AskedAddress,
  EgressOwner,
  RunCaller,
  RunChange,
  RunEgress,
  RunIdentity,
  RuntimeCall,
  RuntimeHandler,
  RuntimeHandlers,
  SentBytes,
} from "./runtime-handlers.ts";
export { allOf, defineSlice, type RoutesOf, type RuntimeOf, type Slice } from "./slice.ts";
