import { listProviders } from "@jackfield/catalogue";

let stateNames: readonly string[] | undefined;

/** The state of a callback, under whatever name a provider sends it back. */
export function findState(query: Readonly<Record<string, string | undefined>>): string | undefined {
  stateNames ??= listStateNames();
  return stateNames.map((name) => query[name]).find((value) => value !== undefined && value !== "");
}

function listStateNames(): string[] {
  const named = listProviders().flatMap((provider) =>
    "callback" in provider ? [provider.callback.state] : [],
  );
  return [...new Set(["state", ...named])];
}
