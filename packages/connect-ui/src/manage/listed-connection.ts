import type { OwnConnection } from "../platform.ts";
import type { Scope } from "../scopes/scope.ts";

/** A connection with what the page adds to it. */
export interface ListedConnection extends OwnConnection {
  readonly logo: string;
  readonly scopes: readonly Scope[];
}
