import { useMe } from "../data/me.ts";
import { holdsScope } from "../data/scopes.ts";

/** Whether the person may do what needs a scope of the account. */
export function useMayInAccount(scope: string): boolean {
  return holdsScope(useMe().account_scopes, scope);
}
