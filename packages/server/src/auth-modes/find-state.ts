import { listCallbackStateNames } from "@jackfield/catalogue";

/** The state of a callback, regardless of the name under which a provider returns it. */
export function findState(query: Readonly<Record<string, string | undefined>>): string | undefined {
  return listCallbackStateNames()
    .map((name) => query[name])
    .find((value) => value !== undefined && value !== "");
}
