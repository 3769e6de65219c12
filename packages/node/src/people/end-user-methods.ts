import type {
  BulkJob,
  Erasure,
  InstallationStatus,
  ListBulkJobsQuery,
  ListErasuresQuery,
  NewBulkJob,
} from "../api-types/index.ts";
import { encode } from "../calls/request-parts.ts";
import { Resource } from "../methods/resource.ts";
import type { ChangeOptions } from "../requests.ts";

/** Erasing what belongs to end users. */
export class EndUsers extends Resource {
  /** Begins to erase what belongs to an end user; `getErasure` says when it is done. */
  async erase(endUserId: string): Promise<{ data: Erasure }> {
    return await this.http.json({ method: "DELETE", path: `/end-users/${encode(endUserId)}` });
  }

  /** Newest first; `next_cursor` is null at the end. */
  async listErasures(
    query: ListErasuresQuery = {},
  ): Promise<{ data: Erasure[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/erasures", query });
  }

  async getErasure(id: string): Promise<{ data: Erasure }> {
    return await this.http.json({ method: "GET", path: `/erasures/${encode(id)}` });
  }
}

/** One action to many connections or syncs. */
export class BulkJobs extends Resource {
  /** One action to many connections or syncs; `job` is null for a dry run. */
  async start(
    body: NewBulkJob,
    options: ChangeOptions = {},
  ): Promise<{ data: { matched: number; job: BulkJob | null } }> {
    return await this.http.json({ ...options, method: "POST", path: "/bulk", body });
  }

  /** Newest first; `next_cursor` is null at the end. */
  async list(
    query: ListBulkJobsQuery = {},
  ): Promise<{ data: BulkJob[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/bulk", query });
  }

  async get(id: string): Promise<{ data: BulkJob }> {
    return await this.http.json({ method: "GET", path: `/bulk/${encode(id)}` });
  }

  /** What it has done stays done. */
  async stop(id: string): Promise<{ data: BulkJob }> {
    return await this.http.json({ method: "DELETE", path: `/bulk/${encode(id)}` });
  }
}

/** How the installation does; with a key of the account. */
export class Installation extends Resource {
  /** Workers, queues, database, disk, keys; needs a key of the account. */
  async get(): Promise<{ data: InstallationStatus }> {
    return await this.http.json({ method: "GET", path: "/installation" });
  }
}
