import type {
  AgentApproval,
  AgentApprovalDecision,
  AgentApprovalWithRequest,
  AgentAuthorizationAnswer,
  AgentCall,
  AgentSession,
  AgentSessionChange,
  AgentSessionWithAccounts,
  AgentSignIn,
  AgentTools,
  AnsweredAuthorization,
  CreatedAgentSession,
  GetToolsetQuery,
  GetUpstreamQuery,
  ListAgentApprovalsQuery,
  ListAgentCallsQuery,
  ListAgentSessionsQuery,
  ListAgentToolsQuery,
  ListToolsetDeclarationsQuery,
  ListToolsetsQuery,
  ListToolsetVersionsQuery,
  ListUpstreamsQuery,
  NewAgentSession,
  NewAgentSignIn,
  NewToolset,
  NewToolsetPreview,
  NewUpstreamAllowance,
  ToolDeclaration,
  Toolset,
  ToolsetPreview,
  Upstream,
  UpstreamRefresh,
  UpstreamToolDecision,
  UpstreamWithTools,
} from "../api-types/index.ts";
import { encode } from "../calls/request-parts.ts";
import { Resource } from "../methods/resource.ts";
import type { ChangeOptions } from "../requests.ts";
import { AgentSessionTools } from "./agent-session-tools.ts";

/** Sessions in which an agent acts for one end user. */
export class AgentSessions extends Resource {
  /** Lets an agent act for one end user; the token is in this answer only. */
  async create(
    body: NewAgentSession,
    options: ChangeOptions = {},
  ): Promise<{ data: CreatedAgentSession }> {
    return await this.http.json({ ...options, method: "POST", path: "/agent/sessions", body });
  }

  /** Newest first; those that have ended are kept for 31 days. */
  async list(
    query: ListAgentSessionsQuery = {},
  ): Promise<{ data: AgentSession[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/agent/sessions", query });
  }

  async get(id: string): Promise<{ data: AgentSessionWithAccounts }> {
    return await this.http.json({ method: "GET", path: `/agent/sessions/${encode(id)}` });
  }

  /** Nothing in it allows more than the session may already, but a later end. */
  async update(id: string, body: AgentSessionChange): Promise<{ data: AgentSession }> {
    return await this.http.json({ method: "PATCH", path: `/agent/sessions/${encode(id)}`, body });
  }

  /** No call of it begins after the answer. */
  async end(id: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: `/agent/sessions/${encode(id)}` });
  }
}

/** Which tools agents have. */
export class Toolsets extends Resource {
  /** Oldest first, each in its newest version. */
  async list(
    query: ListToolsetsQuery = {},
  ): Promise<{ data: Toolset[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/agent/toolsets", query });
  }

  /** The newest version, unless an earlier one is asked for. */
  async get(name: string, query: GetToolsetQuery = {}): Promise<{ data: Toolset }> {
    return await this.http.json({ method: "GET", path: toolsetPath(name), query });
  }

  /** Newest first; each as `get` answers it. */
  async listVersions(
    name: string,
    query: ListToolsetVersionsQuery = {},
  ): Promise<{ data: Toolset[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: `${toolsetPath(name)}/versions`, query });
  }

  /** Its tools as TypeScript, by name. */
  async listDeclarations(
    name: string,
    query: ListToolsetDeclarationsQuery = {},
  ): Promise<{ data: ToolDeclaration[]; next_cursor: string | null }> {
    const path = `${toolsetPath(name)}/declarations`;
    return await this.http.json({ method: "GET", path, query });
  }

  /** Which tools it would have, their cost in tokens, and whether given requests would be sent; nothing is stored. */
  async preview(body: NewToolsetPreview): Promise<{ data: ToolsetPreview }> {
    return await this.http.json({ method: "POST", path: "/agent/toolsets/preview", body });
  }

  /** Makes the toolset, or its next version; one that holds the same stays as it is. */
  async put(name: string, body: NewToolset): Promise<{ data: Toolset }> {
    return await this.http.json({ method: "PUT", path: toolsetPath(name), body });
  }

  /** Its sessions end. */
  async delete(name: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: toolsetPath(name) });
  }
}

/** MCP servers of others, whose tools integrations have. */
export class Upstreams extends Resource {
  /** Those of the oldest integrations first, without their tools. */
  async list(
    query: ListUpstreamsQuery = {},
  ): Promise<{ data: Upstream[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/agent/upstreams", query });
  }

  /** With a page of its tools: whether agents may call them, and what their server has changed. */
  async get(
    integration: string,
    query: GetUpstreamQuery = {},
  ): Promise<{ data: UpstreamWithTools; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: upstreamPath(integration), query });
  }

  /** Reads the list of tools from the server now. */
  async refresh(
    integration: string,
    body: UpstreamRefresh = {},
  ): Promise<{ data: UpstreamWithTools; next_cursor: string | null }> {
    const path = `${upstreamPath(integration)}/refresh`;
    return await this.http.json({ method: "POST", path, body });
  }

  /** Which tools of a server's first list agents may call; later ones wait in any case. */
  async allow(
    integration: string,
    body: NewUpstreamAllowance,
  ): Promise<{ data: UpstreamWithTools; next_cursor: string | null }> {
    const path = `${upstreamPath(integration)}/allow`;
    return await this.http.json({ method: "PUT", path, body });
  }

  /** Accepts or refuses the version of a tool that you have seen. */
  async decide(
    integration: string,
    name: string,
    body: UpstreamToolDecision,
  ): Promise<{ data: UpstreamWithTools; next_cursor: string | null }> {
    const path = `${upstreamPath(integration)}/tools/${encode(name)}`;
    return await this.http.json({ method: "POST", path, body });
  }
}

/** Agents: their sessions with tools, and what they did. */
export class Agent extends Resource {
  /** A session with its tools, in the forms that libraries of language models take. */
  async createSession(
    body: NewAgentSession,
    options: ChangeOptions = {},
  ): Promise<AgentSessionTools> {
    const { data } = await new AgentSessions(this.http).create(body, options);
    return new AgentSessionTools(this.http, body.toolset, data);
  }

  /** Ends all sessions of a toolset, of an integration's tools, for an end user, or of the environment. */
  async stop(
    body: { toolset: string } | { integration: string } | { end_user_id: string } | { all: true },
  ): Promise<{ data: { ended: number } }> {
    return await this.http.json({ method: "POST", path: "/agent/stop", body });
  }

  /** Who proves which end user a browser speaks for, when a client connects by URL alone. */
  async getSignIn(): Promise<{ data: AgentSignIn }> {
    return await this.http.json({ method: "GET", path: "/agent/sign-in" });
  }

  /** A page of your app, or your identity provider. */
  async putSignIn(body: NewAgentSignIn): Promise<{ data: AgentSignIn }> {
    return await this.http.json({ method: "PUT", path: "/agent/sign-in", body });
  }

  /** No further client is let in. */
  async deleteSignIn(): Promise<void> {
    await this.http.json({ method: "DELETE", path: "/agent/sign-in" });
  }

  /** Your word for who the user of a browser is that came to `verifier_url`; send it on to `continue_url`. */
  async answerAuthorization(
    id: string,
    body: AgentAuthorizationAnswer,
  ): Promise<{ data: AnsweredAuthorization }> {
    const path = `/agent/authorizations/${encode(id)}`;
    return await this.http.json({ method: "POST", path, body });
  }

  /** What agents called, newest first. */
  async listCalls(
    query: ListAgentCallsQuery = {},
  ): Promise<{ data: AgentCall[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/agent/calls", query });
  }

  /** Calls that a person has to approve, newest first. */
  async listApprovals(
    query: ListAgentApprovalsQuery = {},
  ): Promise<{ data: AgentApproval[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/agent/approvals", query });
  }

  /** With the arguments of the call, and the request that it would send. */
  async getApproval(id: string): Promise<{ data: AgentApprovalWithRequest }> {
    return await this.http.json({ method: "GET", path: `/agent/approvals/${encode(id)}` });
  }

  /** The agent then calls again; throws `conflict` for a call that waits no more. */
  async decideApproval(id: string, body: AgentApprovalDecision): Promise<{ data: AgentApproval }> {
    const path = `/agent/approvals/${encode(id)}`;
    return await this.http.json({ method: "POST", path, body });
  }

  /** Tools that agents may have, actions first, with about how many tokens their definitions take. */
  async listTools(query: ListAgentToolsQuery = {}): Promise<AgentTools> {
    return await this.http.json({ method: "GET", path: "/agent/tools", query });
  }
}

function upstreamPath(integration: string): string {
  return `/agent/upstreams/${encode(integration)}`;
}

function toolsetPath(name: string): string {
  return `/agent/toolsets/${encode(name)}`;
}
