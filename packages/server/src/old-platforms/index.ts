// Owns platforms that connections move away from: reading their tokens through, taking connections over one by one, and
// giving them back. Tables: old_platforms, old_platform_connections.
export {
  followCreated as followMovedCreated,
  followDeleted as followMovedDeleted,
  forgetPlatformsOfEnvironment,
} from "./follow-connections.ts";
export { readThrough } from "./moving/read-through.ts";
export { oldPlatforms } from "./slice.ts";
