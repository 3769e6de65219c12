import { createContext, useContext } from "react";
import type { OwnEnvironment } from "../data/me.ts";
import { holdsScope } from "../data/scopes.ts";

/** The environment that the address names; screens below it always have one. */
export const EnvironmentContext = createContext<OwnEnvironment | undefined>(undefined);

export function useEnvironment(): OwnEnvironment {
  const environment = useContext(EnvironmentContext);
  if (environment === undefined) throw new Error("this screen stands below no environment");
  return environment;
}

/** Whether the person may do what needs a scope, in the environment of this screen; nothing without one. */
export function useMay(scope: string): boolean {
  return holdsScope(useContext(EnvironmentContext)?.scopes ?? [], scope);
}
