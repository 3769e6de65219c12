import type {
  HandBack,
  HandOver,
  HandOverResult,
  ListOldPlatformConnectionsQuery,
  NamedConnection,
  NewOldPlatform,
  OldPlatform,
  OldPlatformChange,
  OldPlatformConnection,
} from "../api-types/index.ts";
import { encode } from "../calls/request-parts.ts";
import { Resource } from "../methods/resource.ts";
import type { ChangeOptions } from "../requests.ts";

type Moves = { data: HandOverResult[]; remaining: number };

/** Platforms that connections move away from: read through, handed over, given back. */
export class OldPlatforms extends Resource {
  async create(body: NewOldPlatform, options: ChangeOptions = {}): Promise<{ data: OldPlatform }> {
    return await this.http.json({ ...options, method: "POST", path: "/old-platforms", body });
  }

  async list(): Promise<{ data: OldPlatform[] }> {
    return await this.http.json({ method: "GET", path: "/old-platforms" });
  }

  async get(id: string): Promise<{ data: OldPlatform }> {
    return await this.http.json({ method: "GET", path: pathOf(id) });
  }

  async update(
    id: string,
    body: OldPlatformChange,
    options: ChangeOptions = {},
  ): Promise<{ data: OldPlatform }> {
    return await this.http.json({ ...options, method: "PATCH", path: pathOf(id), body });
  }

  /** Refused while connections are read through. */
  async delete(id: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: pathOf(id) });
  }

  /** Imports a connection whose tokens the old platform keeps refreshing. */
  async readThrough(
    id: string,
    body: NamedConnection,
    options: ChangeOptions = {},
  ): Promise<{ data: OldPlatformConnection }> {
    const path = `${pathOf(id)}/connections`;
    return await this.http.json({ ...options, method: "POST", path, body });
  }

  /** Who refreshes which connection; `next_cursor` is null at the end. */
  async listConnections(
    id: string,
    query: ListOldPlatformConnectionsQuery = {},
  ): Promise<{ data: OldPlatformConnection[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: `${pathOf(id)}/connections`, query });
  }

  /** From then on this server refreshes; repeat it while `remaining` is above 0. */
  async handOver(id: string, body: HandOver = {}, options: ChangeOptions = {}): Promise<Moves> {
    const path = `${pathOf(id)}/hand-over`;
    return await this.http.json({ ...options, method: "POST", path, body });
  }

  /** From then on the old platform refreshes again. */
  async handBack(id: string, body: HandBack = {}, options: ChangeOptions = {}): Promise<Moves> {
    const path = `${pathOf(id)}/hand-back`;
    return await this.http.json({ ...options, method: "POST", path, body });
  }
}

function pathOf(id: string): string {
  return `/old-platforms/${encode(id)}`;
}
