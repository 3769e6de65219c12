import type { RunFacts } from "@jackfield/contract/runtime";

/** The facts that a run of a test gets about itself. */
export function newFacts(): RunFacts {
  return {
    kind: "action",
    functionName: "act",
    environmentName: "dev",
    environmentId: "env-1",
    connectionId: "connection-1",
    providerConfigKey: "crm",
    provider: "private-api-bearer",
    variant: "base",
    operationId: "operation-1",
    loggerLevel: "debug",
    validation: { input: "off", output: "off", records: "off", metadata: "off", checkpoint: "off" },
    outputLimitBytes: 10 * 1024 * 1024,
  };
}
