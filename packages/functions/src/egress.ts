/**
 * A host that a function may send to: `api.example.com`, `*.example.com` for all names below it, each with or without
 * a port such as `:8443`; `{integration}` for the hosts of the function's integration, as the connection has them; `*`
 * alone for every public host.
 */
export type EgressHost = "{integration}" | "*" | (string & {});

/** What a function may send where, and whether it sees credentials. */
export interface FunctionReach {
  /**
   * All that the function may send to, redirects included, at most 50 hosts. Left out: what the project says in its
   * `package.json`, else every public host.
   */
  egress?: readonly EgressHost[];
  /** The provider's calls carry the credentials, and the function never sees any. */
  credentials?: "proxy-only";
}
