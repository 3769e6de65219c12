import type { Connection } from "../connection.ts";

/** How people know the account: its address, else its name; undefined where the provider has said neither. */
export function nameOfAccount({ account }: Pick<Connection, "account">): string | undefined {
  return account?.email ?? account?.label;
}
