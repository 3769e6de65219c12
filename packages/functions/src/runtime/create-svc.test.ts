import { expect, test } from "vitest";
import * as z from "zod";
import { isActionError } from "../action-error.ts";
import { testRun } from "./testing/test-run.ts";

test("tells the facts of the run", () => {
  const reported = { accountId: "a1", connectionNumber: 7, attributes: { deep: true } };
  const { svc } = testRun({
    facts: { lastSyncDate: "2026-01-01T00:00:00Z", variant: "emea", ...reported },
  });
  svc.setLogger({ level: "debug" });

  expect(svc).toMatchObject({
    connectionId: "c1",
    providerConfigKey: "crm",
    provider: "crm-provider",
    environmentName: "dev",
    accountId: "a1",
    svcConnectionId: 7,
    syncConfig: { sync_name: "contacts", attributes: { deep: true } },
    logger: { level: "debug" },
    variant: "emea",
    lastSyncDate: new Date("2026-01-01T00:00:00Z"),
  });
  expect(testRun().svc.lastSyncDate).toBeUndefined();
});

test("is a facade: nothing behind it can be reached or replaced", () => {
  const { svc } = testRun();

  expect(Object.getPrototypeOf(svc)).toBeNull();
  expect("constructor" in svc || "__proto__" in svc).toBe(false);
  expect(Reflect.set(svc, "get", () => {})).toBe(false);
  expect(Reflect.ownKeys(svc).sort()).toEqual([
    "ActionError",
    "abortSignal",
    "accountId",
    "activityLogId",
    "batchDelete",
    "batchSave",
    "batchSend",
    "batchUpdate",
    "clearCheckpoint",
    "connectionId",
    "delete",
    "deleteRecordsFromPreviousExecutions",
    "elicit",
    "environmentId",
    "environmentName",
    "get",
    "getCheckpoint",
    "getConnection",
    "getEnvironmentVariables",
    "getFieldMapping",
    "getFlowAttributes",
    "getIntegration",
    "getMetadata",
    "getRecordsByIds",
    "getToken",
    "getWebhookURL",
    "isCLI",
    "lastSyncDate",
    "listRecords",
    "log",
    "logger",
    "paginate",
    "patch",
    "post",
    "provider",
    "providerConfigKey",
    "proxy",
    "put",
    "releaseAllLocks",
    "releaseLock",
    "reportProgress",
    "saveCheckpoint",
    "scriptType",
    "setFieldMapping",
    "setLogger",
    "setMergingStrategy",
    "setMetadata",
    "startSync",
    "svcConnectionId",
    "syncConfig",
    "syncId",
    "syncJobId",
    "traceparent",
    "trackDeletesEnd",
    "trackDeletesStart",
    "triggerAction",
    "triggerSync",
    "tryAcquireLock",
    "uncontrolledFetch",
    "updateMetadata",
    "variant",
    "zodValidateInput",
  ]);
});

test("methods work when they are taken off the object", async () => {
  const { svc, calls } = testRun({ answer: () => ({ value: [] }) });
  const { getEnvironmentVariables } = svc;

  expect(await getEnvironmentVariables()).toEqual([]);
  expect(calls[0]?.method).toBe("getEnvironmentVariables");
});

test("an action's context has no record methods", () => {
  const { svc } = testRun({ facts: { kind: "action" } });

  expect("batchSave" in svc || "variant" in svc).toBe(false);
});

test("zodValidateInput gives the parsed input, or logs each issue and throws", async () => {
  const { svc, calls } = testRun();
  const zodSchema = z.object({ a: z.coerce.number(), b: z.string() });

  expect(await svc.zodValidateInput({ zodSchema, input: { a: "1", b: "x" } })).toEqual({
    success: true,
    data: { a: 1, b: "x" },
  });
  const thrown = await svc
    .zodValidateInput({ zodSchema, input: { a: "x" } })
    .catch((error) => error);

  expect(isActionError(thrown) && thrown.payload).toEqual({ message: "Invalid input provided" });
  expect(calls.map(({ params }) => params["level"])).toEqual(["error", "error"]);
});
