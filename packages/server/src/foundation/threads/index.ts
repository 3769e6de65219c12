// Owns threads that do jobs for the rest of the process.
export { JobThread } from "./job-thread.ts";
