import { listCallbackStateNames } from "@jackfield/catalogue";

/** The state of a callback, under whatever name a provider sends it back. */
export function findState(query: Readonly<Record<string, string | undefined>>): string | undefined {
  return listCallbackStateNames()
    .map((name) => query[name])
    .find((value) => value !== undefined && value !== "");
}
