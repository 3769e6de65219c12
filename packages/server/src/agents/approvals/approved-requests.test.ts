import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ApprovedActions,
  approveRandomActions,
  startApprovedActions,
} from "../testing/approved-actions.ts";

// What reaches a provider is what a person has seen, or nothing does (promise T6).

let approved: ApprovedActions;
beforeAll(async () => {
  approved = await startApprovedActions();
});
afterAll(async () => await approved[Symbol.asyncDispose]());

test("of 200 random actions, each sends the request that was shown, or nothing", {
  timeout: 300_000,
}, async () => {
  const { sent, stale } = await approveRandomActions(approved, 200);

  expect(sent).toBeGreaterThan(50);
  expect(stale).toBeGreaterThan(50);
});

test("a request is shown without the credentials that its action has put into it", async () => {
  await approved.deploy({
    leaky: `const { credentials } = await svc.getConnection();
      await svc.post({ endpoint: "/x", headers: { Authorization: "Bearer " + credentials.apiKey, "X-Note": credentials.apiKey },
        data: { note: "with " + credentials.apiKey, kept: "hello" } }); return 1;`,
  });
  const { call } = await approved.careful.begin();

  const { approval_id: id } = await call("leaky");
  const request = await approved.show(id);

  expect(JSON.stringify(request)).not.toContain("canary-token");
  expect(request).toMatchObject({
    method: "POST",
    url: "/x",
    body: expect.stringContaining("hello"),
  });
});

test("an action that another one calls is shown as the call that it is", async () => {
  await approved.deploy({
    inner: 'await svc.post({ endpoint: "/inner" }); return 1;',
    outer: `return await svc.triggerAction("crm", "ada-crm", "inner", { text: input.text });`,
  });
  const { call } = await approved.careful.begin();
  approved.arrived.length = 0;

  const { approval_id: id } = await call("outer", { text: "hi" });
  const shown = await approved.show(id);
  const before = approved.arrived.length;
  await approved.careful.decide(id);
  const made = await call("outer", { text: "hi" });

  expect(shown).toMatchObject({ call: "triggerAction", method: null });
  expect(JSON.stringify(shown)).toContain("inner");
  expect(before).toBe(0);
  expect(made).toBe(1);
  expect(approved.arrived.map(({ url }) => url)).toEqual(["/inner"]);
});
