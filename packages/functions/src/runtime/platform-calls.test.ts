import { expect, test } from "vitest";
import { cancelRun } from "./run.ts";
import { fromRunError } from "./run-failure.ts";
import { testRun } from "./testing/test-run.ts";

test("the integration is remembered for 10 minutes, for each set of includes apart", async () => {
  const value = { unique_key: "crm", webhook_url: "https://x.test/webhook/e/crm" };
  const { svc, calls, clock } = testRun({ answer: () => ({ value }) });

  expect(await svc.getIntegration()).toEqual(value);
  expect(await svc.getWebhookURL()).toBe(value.webhook_url);
  await svc.getIntegration({ include: ["webhook"] });
  clock.nowMs += 600_000;
  await svc.getIntegration();

  expect(calls.map(({ params }) => params["include"])).toEqual([[], ["webhook"], []]);
});

test("an action gets its input as JSON and its output comes back", async () => {
  const { svc, calls } = testRun({ answer: () => ({ body: '{"n":2}' }) });

  expect(await svc.triggerAction("crm", "c1", "add", { n: 1 })).toEqual({ n: 2 });
  await svc.triggerAction("crm", "c1", "add");

  expect(calls.map(({ params, body }) => [params, body])).toEqual([
    [{ providerConfigKey: "crm", connectionId: "c1", actionName: "add" }, '{"n":1}'],
    [{ providerConfigKey: "crm", connectionId: "c1", actionName: "add" }, ""],
  ]);
});

test("an action that fails throws an error with the API's answer", async () => {
  const { svc } = testRun({
    answer: () => {
      const error = { type: "not_found", message: "No action x.", status: 404 };
      throw fromRunError({ ...error, payload: { name: "x" } });
    },
  });

  const failure = await svc.triggerAction("crm", "c1", "x").catch((error: unknown) => error);

  expect(failure).toMatchObject({
    message: "No action x.",
    response: {
      status: 404,
      data: { error: { code: "not_found", message: "No action x.", errors: [{ name: "x" }] } },
    },
  });
});

test.each([
  [undefined, { reset: false, emptyCache: false }],
  [{ reset: true }, { reset: true, emptyCache: false }],
  [true, { reset: true, emptyCache: false }],
  ["full_refresh_and_clear_cache", { reset: true, emptyCache: true }],
] as const)("a sync is triggered with %j", async (opts, wish) => {
  const { svc, calls } = testRun();

  await svc.triggerSync("crm", "c1", "contacts::emea", opts);
  await svc.triggerSync("crm", undefined, { name: "contacts" }, opts);

  const sync = { name: "contacts", variant: "emea" };
  expect(calls.map(({ params }) => params)).toEqual([
    { providerConfigKey: "crm", connectionId: "c1", sync, ...wish },
    { providerConfigKey: "crm", sync: { name: "contacts", variant: "base" }, ...wish },
  ]);
});

test("an unknown mode of a trigger is refused with the known ones", async () => {
  const { svc } = testRun();

  // @ts-expect-error no such mode
  const triggered = svc.triggerSync("crm", "c1", "contacts", "everything");

  await expect(triggered).rejects.toThrow("full_refresh_and_clear_cache");
});

test("syncs are started by name and variant", async () => {
  const { svc, calls } = testRun();

  await svc.startSync("crm", ["a", { name: "b", variant: "v" }], "c1");

  expect(calls[0]?.params).toEqual({
    providerConfigKey: "crm",
    connectionId: "c1",
    syncs: [
      { name: "a", variant: "base" },
      { name: "b", variant: "v" },
    ],
  });
});

test("locks are asked of the host, with keys and times that make sense", async () => {
  const { svc, run, calls } = testRun({ answer: () => ({ value: true }) });

  expect(await svc.tryAcquireLock({ key: "k", ttlMs: 1.5 })).toBe(true);
  expect(await svc.releaseLock({ key: "k" })).toBe(true);
  await expect(svc.tryAcquireLock({ key: "", ttlMs: 1 })).rejects.toThrow("1 to 255");
  await expect(svc.tryAcquireLock({ key: "k", ttlMs: 0 })).rejects.toThrow("above 0");
  cancelRun(run);
  await expect(svc.releaseAllLocks()).rejects.toMatchObject({ type: "script_aborted" });

  expect(calls.map(({ method, params }) => [method, params["ttlMs"]])).toEqual([
    ["tryAcquireLock", 2],
    ["releaseLock", undefined],
    ["releaseAllLocks", undefined],
  ]);
});

test("the signal tells of a cancellation, before and after it is asked for", () => {
  const { svc, run } = testRun();
  const { abortSignal } = svc;

  expect(abortSignal.aborted).toBe(false);
  cancelRun(run);

  expect(abortSignal.aborted).toBe(true);
  expect(svc.abortSignal.reason).toMatchObject({ type: "script_aborted" });
});

test("the field mapping is a part of the metadata", async () => {
  const value = { metadata: { fieldMapping: { email: "mail" } } };
  const { svc, calls } = testRun({ answer: () => ({ value }) });

  expect(await svc.getFieldMapping()).toEqual({ email: "mail" });
  await svc.setFieldMapping({ email: "e_mail" });

  expect(calls[1]?.params).toEqual({
    mode: "merge",
    metadata: { fieldMapping: { email: "e_mail" } },
  });
});

test("attributes of the deployment are for syncs", () => {
  const { svc } = testRun({ facts: { attributes: { a: 1 } } });

  expect(svc.getFlowAttributes()).toEqual({ a: 1 });
});
