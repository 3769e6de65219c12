import type { Jackfield } from "../index.ts";

/** A method, a call of it, the line of its request, and its body. */
export type SampleCall = [string, (client: Jackfield) => Promise<unknown>, string, unknown?];
