import type {
  NewRecordDestination,
  RecordDestination,
  RecordDestinationChange,
} from "../api-types/index.ts";
import { encode } from "../calls/request-parts.ts";
import { Resource } from "../methods/resource.ts";
import type { ChangeOptions } from "../requests.ts";

/** Tables of your own Postgres, and folders of your buckets, to which changes of records are delivered. */
export class Destinations extends Resource {
  async create(
    body: NewRecordDestination,
    options: ChangeOptions = {},
  ): Promise<{ data: RecordDestination }> {
    return await this.http.json({
      ...options,
      method: "POST",
      path: "/records/destinations",
      body,
    });
  }

  /** With how far each is. */
  async list(): Promise<{ data: RecordDestination[] }> {
    return await this.http.json({ method: "GET", path: "/records/destinations" });
  }

  async get(id: string): Promise<{ data: RecordDestination }> {
    return await this.http.json({ method: "GET", path: pathOf(id) });
  }

  /** `paused: true` pauses, `false` resumes; other `models` or `integrations` deliver all again. */
  async update(
    id: string,
    body: RecordDestinationChange,
    options: ChangeOptions = {},
  ): Promise<{ data: RecordDestination }> {
    return await this.http.json({ ...options, method: "PATCH", path: pathOf(id), body });
  }

  /** Delivers all records again: to the emptied table, or to a new folder of the bucket. */
  async restart(id: string, options: ChangeOptions = {}): Promise<{ data: RecordDestination }> {
    return await this.http.json({ ...options, method: "POST", path: `${pathOf(id)}/restart` });
  }

  /** What was delivered stays as it is. */
  async delete(id: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: pathOf(id) });
  }
}

function pathOf(id: string): string {
  return `/records/destinations/${encode(id)}`;
}
