import type {
  AgentCall,
  AgentSession,
  CreatedAgentSession,
  NewAgentSession,
  NewToolset,
  Toolset,
} from "../api-types/index.ts";
import { IntegrationMethods } from "../integration-methods.ts";
import { encode } from "../request-parts.ts";
import type { ChangeOptions } from "../requests.ts";
import { AgentSessionTools } from "./agent-session-tools.ts";

type Page = {
  limit?: number;
  cursor?: string;
};

/** Agents: which tools they have, for whom they act, and what they did. */
export class AgentMethods extends IntegrationMethods {
  readonly agent = {
    /** A session with its tools, in the forms that libraries of language models take. */
    createSession: async (
      body: NewAgentSession,
      options: ChangeOptions = {},
    ): Promise<AgentSessionTools> => {
      const { data } = await this.createAgentSession(body, options);
      return new AgentSessionTools(this.http, body.toolset, data);
    },
  };

  /** Oldest first, each in its newest version. */
  async listToolsets(query: Page = {}): Promise<{ data: Toolset[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/agent/toolsets", query });
  }

  /** The newest version, unless an earlier one is asked for. */
  async getToolset(name: string, query: { version?: number } = {}): Promise<{ data: Toolset }> {
    return await this.http.json({ method: "GET", path: toolsetPath(name), query });
  }

  /** Makes the toolset, or its next version; one that holds the same stays as it is. */
  async putToolset(name: string, body: NewToolset): Promise<{ data: Toolset }> {
    return await this.http.json({ method: "PUT", path: toolsetPath(name), body });
  }

  /** Its sessions end. */
  async deleteToolset(name: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: toolsetPath(name) });
  }

  /** Lets an agent act for one end user; the token is in this answer only. */
  async createAgentSession(
    body: NewAgentSession,
    options: ChangeOptions = {},
  ): Promise<{ data: CreatedAgentSession }> {
    return await this.http.json({ ...options, method: "POST", path: "/agent/sessions", body });
  }

  /** Newest first; those that have ended are kept for 31 days. */
  async listAgentSessions(
    query: Page & { end_user_id?: string } = {},
  ): Promise<{ data: AgentSession[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/agent/sessions", query });
  }

  async getAgentSession(id: string): Promise<{ data: AgentSession }> {
    return await this.http.json({ method: "GET", path: `/agent/sessions/${encode(id)}` });
  }

  /** No call of it begins after the answer. */
  async endAgentSession(id: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: `/agent/sessions/${encode(id)}` });
  }

  /** Ends all sessions of a toolset, of an integration's tools, for an end user, or of the environment. */
  async stopAgents(
    body: { toolset: string } | { integration: string } | { end_user_id: string } | { all: true },
  ): Promise<{ data: { ended: number } }> {
    return await this.http.json({ method: "POST", path: "/agent/stop", body });
  }

  /** What agents called, newest first. */
  async listAgentCalls(
    query: Page & { session_id?: string; end_user_id?: string } = {},
  ): Promise<{ data: AgentCall[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/agent/calls", query });
  }
}

function toolsetPath(name: string): string {
  return `/agent/toolsets/${encode(name)}`;
}
