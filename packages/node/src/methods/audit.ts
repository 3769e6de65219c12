import type {
  AuditEvent,
  AuditHead,
  CredentialReads,
  ExportAuditEventsQuery,
} from "../api-types/index.ts";
import type { AuditQuery, CredentialReadsQuery } from "../management.ts";
import { Resource } from "./resource.ts";

/** Who changed what; with a key of the account. */
export class Audit extends Resource {
  /** Who changed what, and what was refused, newest first; with a key of the account. */
  async listEvents(
    query: AuditQuery = {},
  ): Promise<{ data: AuditEvent[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/audit", query });
  }

  /** The same as text, whole: JSON lines or CSV. */
  async exportEvents(query: ExportAuditEventsQuery = {}): Promise<string> {
    const wanted = { method: "GET", path: "/audit/export", query } as const;
    return await (await this.http.send(wanted, {})).text();
  }

  /** How often keys have read the credentials of connections, by the minute, latest first. */
  async listCredentialReads(
    query: CredentialReadsQuery = {},
  ): Promise<{ data: CredentialReads[]; next_cursor: string | null }> {
    return await this.http.json({
      method: "GET",
      path: "/audit/credential-reads",
      query,
    });
  }

  /** The last seal of the audit log, to be kept elsewhere. */
  async getHead(): Promise<{ data: AuditHead }> {
    return await this.http.json({ method: "GET", path: "/audit/head" });
  }
}
