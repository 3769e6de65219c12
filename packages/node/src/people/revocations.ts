import type {
  ListRevocationsQuery,
  ListRevokedConnectionsQuery,
  NewRevocation,
  ReportKey,
  Revocation,
  RevocationRelease,
  RevokedConnection,
} from "../api-types/index.ts";
import { encode } from "../calls/request-parts.ts";
import { Resource } from "../methods/resource.ts";
import type { ChangeOptions } from "../requests.ts";
import { type RevocationReport, verifyReport } from "../webhooks/verify-report.ts";

/** Freezing connections at once, withdrawing their tokens, and the signed reports of it. */
export class Revocations extends Resource {
  /** Freezes the connections and begins to withdraw their tokens; `rehearsal: true` only reports what would happen. */
  async start(body: NewRevocation, options: ChangeOptions = {}): Promise<{ data: Revocation }> {
    return await this.http.json({ ...options, method: "POST", path: "/revocations", body });
  }

  /** Newest first; `next_cursor` is null at the end. */
  async list(
    query: ListRevocationsQuery = {},
  ): Promise<{ data: Revocation[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/revocations", query });
  }

  async get(id: string): Promise<{ data: Revocation }> {
    return await this.http.json({ method: "GET", path: `/revocations/${encode(id)}` });
  }

  /** Connections of a revocation with their reports; `next_cursor` is null at the end. */
  async listConnections(
    id: string,
    query: ListRevokedConnectionsQuery = {},
  ): Promise<{ data: RevokedConnection[]; next_cursor: string | null }> {
    const path = `/revocations/${encode(id)}/connections`;
    return await this.http.json({ method: "GET", path, query });
  }

  /** Lets the connections that were not withdrawn be used again. */
  async release(
    id: string,
    body: RevocationRelease = {},
    options: ChangeOptions = {},
  ): Promise<{ data: { released: number; revocation: Revocation } }> {
    const path = `/revocations/${encode(id)}/release`;
    return await this.http.json({ ...options, method: "POST", path, body });
  }

  /** The public keys of an environment's reports, as a JWK set; store it to verify reports offline. */
  async keys(environmentId: string): Promise<{ keys: ReportKey[] }> {
    return await this.http.json({
      method: "GET",
      path: `/revocation-keys/${encode(environmentId)}`,
    });
  }

  /** Signs with a new key from now on; answers all keys, those that are retired too. */
  async rotateKey(options: ChangeOptions = {}): Promise<{ keys: ReportKey[] }> {
    return await this.http.json({ ...options, method: "POST", path: "/revocation-keys/rotate" });
  }

  /** What a signed report says; throws for one that was changed or signed by another key. Asks nobody. */
  async verify(
    report: string,
    { keys }: { readonly keys: readonly ReportKey[] },
  ): Promise<RevocationReport> {
    return await verifyReport(report, keys);
  }
}
