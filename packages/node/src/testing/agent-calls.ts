import type { SampleCall } from "./sample-call.ts";

const tools = [{ integration: "crm" }];
const digest = "0".repeat(64);

/** Calls of the methods about agents. */
export const agentCalls: readonly SampleCall[] = [
  ["toolsets.list", (j) => j.toolsets.list({ limit: 5 }), "GET /agent/toolsets?limit=5"],
  ["toolsets.get", (j) => j.toolsets.get("a", { version: 2 }), "GET /agent/toolsets/a?version=2"],
  [
    "toolsets.listVersions",
    (j) => j.toolsets.listVersions("a", { limit: 5 }),
    "GET /agent/toolsets/a/versions?limit=5",
  ],
  [
    "toolsets.listDeclarations",
    (j) => j.toolsets.listDeclarations("a", { limit: 5 }),
    "GET /agent/toolsets/a/declarations?limit=5",
  ],
  [
    "toolsets.preview",
    (j) => j.toolsets.preview({ tools }),
    "POST /agent/toolsets/preview",
    { tools },
  ],
  ["toolsets.put", (j) => j.toolsets.put("a", { tools }), "PUT /agent/toolsets/a", { tools }],
  ["toolsets.delete", (j) => j.toolsets.delete("a"), "DELETE /agent/toolsets/a"],
  [
    "integrations.getApiDocument",
    (j) => j.integrations.getApiDocument("k/1"),
    "GET /integrations/k%2F1/openapi",
  ],
  [
    "integrations.putApiDocument",
    (j) => j.integrations.putApiDocument("k", { url: "https://x.example/openapi.json" }),
    "PUT /integrations/k/openapi",
    { url: "https://x.example/openapi.json" },
  ],
  [
    "integrations.deleteApiDocument",
    (j) => j.integrations.deleteApiDocument("k"),
    "DELETE /integrations/k/openapi",
  ],
  [
    "agentSessions.create",
    (j) => j.agentSessions.create({ toolset: "a", end_user_id: "u1" }),
    "POST /agent/sessions",
    { toolset: "a", end_user_id: "u1" },
  ],
  [
    "agentSessions.list",
    (j) => j.agentSessions.list({ end_user_id: "u1" }),
    "GET /agent/sessions?end_user_id=u1",
  ],
  ["upstreams.list", (j) => j.upstreams.list(), "GET /agent/upstreams"],
  [
    "upstreams.get",
    (j) => j.upstreams.get("linear", { search: "issue" }),
    "GET /agent/upstreams/linear?search=issue",
  ],
  [
    "upstreams.refresh",
    (j) => j.upstreams.refresh("linear", { connection_id: "c" }),
    "POST /agent/upstreams/linear/refresh",
    { connection_id: "c" },
  ],
  [
    "upstreams.allow",
    (j) => j.upstreams.allow("linear", { allow: "read_only" }),
    "PUT /agent/upstreams/linear/allow",
    { allow: "read_only" },
  ],
  [
    "upstreams.decide",
    (j) => j.upstreams.decide("linear", "a/b", { decision: "refuse", digest }),
    "POST /agent/upstreams/linear/tools/a%2Fb",
    { decision: "refuse", digest },
  ],
  ["agentSessions.get", (j) => j.agentSessions.get("s"), "GET /agent/sessions/s"],
  ["agentSessions.end", (j) => j.agentSessions.end("s"), "DELETE /agent/sessions/s"],
  ["agent.stop", (j) => j.agent.stop({ all: true }), "POST /agent/stop", { all: true }],
  [
    "agent.listApprovals",
    (j) => j.agent.listApprovals({ state: "waiting" }),
    "GET /agent/approvals?state=waiting",
  ],
  ["agent.getApproval", (j) => j.agent.getApproval("a"), "GET /agent/approvals/a"],
  [
    "agent.decideApproval",
    (j) => j.agent.decideApproval("a", { decision: "deny", reason: "no" }),
    "POST /agent/approvals/a",
    { decision: "deny", reason: "no" },
  ],
  ["agent.listCalls", (j) => j.agent.listCalls({ limit: 5 }), "GET /agent/calls?limit=5"],
  [
    "agentSessions.update",
    (j) => j.agentSessions.update("s", { budget: { calls: 1 } }),
    "PATCH /agent/sessions/s",
    { budget: { calls: 1 } },
  ],
  ["agent.getSignIn", (j) => j.agent.getSignIn(), "GET /agent/sign-in"],
  [
    "agent.putSignIn",
    (j) => j.agent.putSignIn({ verifier_url: "https://app.example.com/v" }),
    "PUT /agent/sign-in",
    { verifier_url: "https://app.example.com/v" },
  ],
  ["agent.deleteSignIn", (j) => j.agent.deleteSignIn(), "DELETE /agent/sign-in"],
  [
    "agent.answerAuthorization",
    (j) => j.agent.answerAuthorization("a", { end_user_id: "u1" }),
    "POST /agent/authorizations/a",
    { end_user_id: "u1" },
  ],
];
