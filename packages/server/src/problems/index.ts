// Owns problems: what is wrong in an environment, one for each cause, found by a sweep over the rows of others.
// Tables: problems.

export { eraseFromProblems } from "./erasure/erase-from-problems.ts";
export { problems } from "./slice.ts";
