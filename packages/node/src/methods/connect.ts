import type {
  ConnectFunnel,
  ConnectLink,
  ConnectSession,
  CreatedConnectLink,
  ListConnectFunnelQuery,
  ListConnectLinksQuery,
  ListConnectSessionsQuery,
  ListedConnectSession,
  NewConnectLink,
  NewConnectSession,
  NewReconnectLinks,
  NewReconnectSession,
  ReconnectLinks,
} from "../api-types/index.ts";
import { encode } from "../calls/request-parts.ts";
import { waitForConnection } from "../calls/wait-for.ts";
import type { ChangeOptions, WaitOptions } from "../requests.ts";
import type { ConnectResult } from "../resources.ts";
import { Resource } from "./resource.ts";

/** Sessions in which end users connect. */
export class ConnectSessions extends Resource {
  async create(
    body: NewConnectSession = {},
    options: ChangeOptions = {},
  ): Promise<{ data: ConnectSession }> {
    return await this.http.json({ ...options, method: "POST", path: "/connect/sessions", body });
  }

  async createReconnect(
    body: NewReconnectSession,
    options: ChangeOptions = {},
  ): Promise<{ data: ConnectSession }> {
    const path = "/connect/sessions/reconnect";
    return await this.http.json({ ...options, method: "POST", path, body });
  }

  /** Newest first; those that have ended are kept for 31 days. */
  async list(
    query: ListConnectSessionsQuery = {},
  ): Promise<{ data: ListedConnectSession[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/connect/sessions", query });
  }

  /** How far end users came with each integration: each session counts once for each step. */
  async funnel(query: ListConnectFunnelQuery = {}): Promise<{ data: ConnectFunnel[] }> {
    return await this.http.json({ method: "GET", path: "/connect/funnel", query });
  }

  /** Its token stops working; its connections stay. */
  async end(id: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: `/connect/sessions/${encode(id)}` });
  }

  /** The connection that the session with this token makes. */
  async wait(sessionToken: string, options: WaitOptions = {}): Promise<ConnectResult> {
    return await waitForConnection(this.http, sessionToken, options);
  }
}

/** Links that begin such sessions. */
export class ConnectLinks extends Resource {
  /** A link by which an end user begins a session; its address is shown only now. */
  async create(
    body: NewConnectLink,
    options: ChangeOptions = {},
  ): Promise<{ data: CreatedConnectLink }> {
    return await this.http.json({ ...options, method: "POST", path: "/connect/links", body });
  }

  /** A link for each connection that has to be authorized again: those named, or those that fit a filter. */
  async createReconnect(
    body: NewReconnectLinks,
    options: ChangeOptions = {},
  ): Promise<{ data: ReconnectLinks }> {
    const path = "/connect/links/reconnect";
    return await this.http.json({ ...options, method: "POST", path, body });
  }

  /** Newest first; `next_cursor` is null at the end. */
  async list(
    query: ListConnectLinksQuery = {},
  ): Promise<{ data: ConnectLink[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/connect/links", query });
  }

  /** It stops working at once. */
  async revoke(id: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: `/connect/links/${encode(id)}` });
  }
}
