import type { Canary, CanaryWithFunctions, ListCanariesQuery } from "../api-types/index.ts";
import { encode } from "../calls/request-parts.ts";
import type { ChangeOptions } from "../requests.ts";
import { Resource } from "./resource.ts";

/** Deployments that some connections try first; the command line starts them. */
export class Canaries extends Resource {
  /** Newest first; `next_cursor` is null at the end. */
  async list(
    query: ListCanariesQuery = {},
  ): Promise<{ data: Canary[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/canaries", query });
  }

  /** With the runs of both versions. */
  async get(id: string): Promise<{ data: CanaryWithFunctions }> {
    return await this.http.json({ method: "GET", path: `/canaries/${encode(id)}` });
  }

  /** Deploys the new version for all connections now. */
  async promote(id: string, options: ChangeOptions = {}): Promise<{ data: CanaryWithFunctions }> {
    const path = `/canaries/${encode(id)}/promote`;
    return await this.http.json({ ...options, method: "POST", path });
  }

  /** Returns the chosen connections to the deployed version now. */
  async rollBack(id: string, options: ChangeOptions = {}): Promise<{ data: CanaryWithFunctions }> {
    const path = `/canaries/${encode(id)}/rollback`;
    return await this.http.json({ ...options, method: "POST", path });
  }
}
