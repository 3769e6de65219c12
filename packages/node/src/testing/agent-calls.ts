import type { SampleCall } from "./sample-call.ts";

const tools = [{ integration: "crm" }];

/** Calls of the methods about agents. */
export const agentCalls: readonly SampleCall[] = [
  ["listToolsets", (j) => j.listToolsets({ limit: 5 }), "GET /agent/toolsets?limit=5"],
  ["getToolset", (j) => j.getToolset("a", { version: 2 }), "GET /agent/toolsets/a?version=2"],
  ["putToolset", (j) => j.putToolset("a", { tools }), "PUT /agent/toolsets/a", { tools }],
  ["deleteToolset", (j) => j.deleteToolset("a"), "DELETE /agent/toolsets/a"],
  [
    "createAgentSession",
    (j) => j.createAgentSession({ toolset: "a", end_user_id: "u1" }),
    "POST /agent/sessions",
    { toolset: "a", end_user_id: "u1" },
  ],
  [
    "listAgentSessions",
    (j) => j.listAgentSessions({ end_user_id: "u1" }),
    "GET /agent/sessions?end_user_id=u1",
  ],
  ["getAgentSession", (j) => j.getAgentSession("s"), "GET /agent/sessions/s"],
  ["endAgentSession", (j) => j.endAgentSession("s"), "DELETE /agent/sessions/s"],
  ["stopAgents", (j) => j.stopAgents({ all: true }), "POST /agent/stop", { all: true }],
  ["listAgentCalls", (j) => j.listAgentCalls({ limit: 5 }), "GET /agent/calls?limit=5"],
];
