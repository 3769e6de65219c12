import { expect, test } from "vitest";
import { emptyDraft, settingsOf, toBody, toDraft } from "./toolset-draft.ts";
import type { Toolset } from "./toolsets.ts";

const whole: Toolset = {
  id: "4a0a0a0e-7a55-4b8a-9a52-3f0d64a3a001",
  name: "helper",
  version: 3,
  description: "Helps",
  mode: "code",
  pinned: ["crm__find"],
  tools: [{ integration: "crm", actions: ["find", "add"] }, { integration: "mail" }],
  api: [
    {
      integration: "crm",
      allow: [{ methods: ["GET", "POST"], paths: ["/v1/*", "/v2/**"] }],
      deny: [{ methods: ["GET"], paths: ["/v1/keys"] }],
    },
  ],
  effects: ["read", "write"],
  policy: {
    preset: "careful",
    approver: "end_user",
    url: "https://example.com/policy",
    rules: [
      {
        action: "add",
        input: [
          { path: "/amount", op: "lte", value: 2.5 },
          { path: "/plan", op: "in", value: ["gold", 50, "50", true, "true", " a\nb ", '"x"'] },
          { path: "", op: "matches", value: "*@example.com" },
          { path: "/to/*", op: "domain_in", value: ["example.com", "example.org"] },
        ],
        tainted: false,
        verdict: "allow",
      },
      { integration: "mail", effect: "write", provenance: "untrusted", verdict: "deny" },
    ],
  },
  budget: { calls: 200, writes: 0, result_tokens: 5 },
  authorization: {
    mode: "external",
    issuer: "https://login.example.com",
    end_user_claim: "sub",
  },
  mcp_url: null,
  session_mcp_url: "https://example.com/mcp/helper",
  created_at: "2026-01-01T00:00:00.000Z",
};

test("a toolset that nobody changes in its form is sent as it was", () => {
  expect(toBody(toDraft(whole))).toEqual(settingsOf(whole));
});

test("one without a policy stays without, until a preset is chosen", () => {
  const { policy: _policy, ...without } = whole;
  const draft = toDraft(without);

  expect(toBody(draft)).not.toHaveProperty("policy");
  expect(toBody({ ...draft, preset: "read_only" }).policy).toEqual({ preset: "read_only" });
});

test("what is half written keeps its position, so that the server's words reach its field", () => {
  const rule = {
    ...({ verdict: "deny", integration: "", action: "", effect: "", tainted: "" } as const),
    fromOthers: false,
    conditions: [{ path: "/a", op: "lte", text: "many" } as const],
  };
  const api = [{ integration: "crm", allow: [{ methods: [], paths: " \n" }], deny: [] }];

  const body = JSON.parse(JSON.stringify(toBody({ ...emptyDraft, rules: [rule], api })));

  expect(body.policy.rules[0].input[0]).toEqual({ path: "/a", op: "lte", value: null });
  expect(body.api[0].allow).toEqual([{ methods: [], paths: [] }]);
});
