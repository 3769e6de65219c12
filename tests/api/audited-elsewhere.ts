import type { RouteName } from "@jackfield/contract";

/** Routes that are called elsewhere, and why not here. What they change they change in transactions (`withTransaction`). */
export const elsewhere: Partial<Record<RouteName, string>> = {
  ...because("needs deployed functions", [
    "deployFunctions",
    "decideAgentApproval",
    "updateFunction",
    "deleteFunction",
    "setTapeRule",
    "deleteTapeRule",
    "deleteTape",
    "rollBackDeployment",
    "startCanary",
    "promoteCanary",
    "rollBackCanary",
    "createDryRun",
    "createDeployment",
    "deployBundle",
    "commitStagedDeployment",
    "pauseSyncs",
    "startSyncs",
    "confirmDeletes",
    "updateSyncConnectionFrequency",
    "createSyncVariant",
    "deleteSyncVariant",
    "cancelRun",
    "pruneRecords",
    "updateProblem",
  ]),
  ...because(
    "begins or ends what its own tests call: jobs, whose rows change meanwhile, and links",
    [
      "startBulkJob",
      "stopBulkJob",
      "deleteEndUser",
      "createConnectLink",
      "createReconnectLinks",
      "revokeConnectLink",
      "startRevocation",
      "releaseRevocation",
    ],
  ),
  ...because("reads in a thread, while counts of earlier calls are written", ["putApiDocument"]),
  ...because("is delivered to at once by a worker, whose rows change meanwhile", [
    "createRecordDestination",
    "updateRecordDestination",
    "restartRecordDestination",
    "deleteRecordDestination",
  ]),
  ...because("needs an installation with SQL access", [
    "createSqlAccess",
    "rotateSqlAccess",
    "deleteSqlAccess",
  ]),
  ...because("needs another platform", [
    "createOldPlatform",
    "updateOldPlatform",
    "deleteOldPlatform",
    "readThroughConnection",
    "handOverConnections",
    "handBackConnections",
  ]),
  ...because("needs webhooks that were sent or received", [
    "replayWebhookDelivery",
    "replayWebhookDeliveries",
    "enableWebhookReceiver",
    "replayInboundWebhook",
    "replayInboundWebhooks",
  ]),
  ...because("needs an authenticator of a browser", ["addPasskey", "deletePasskey"]),
  ...because("needs an identity provider", ["setSingleSignOn"]),
  ...because("is called once an app is in use, below", [
    "replaceRecoveryCodes",
    "deleteTotp",
    "deleteUserTotp",
  ]),
  ...because("changes nothing that is kept", ["startSimulator", "setSimulatorFault"]),
  ...because("an older path of another route", ["createConnectionFlat"]),
  ...because("ends a session that it may not know", ["signOut"]),
  ...because("takes the session of an end user", ["deleteOwnConnection"]),
  ...because("needs an MCP server", ["allowUpstream", "decideUpstreamTool"]),
  ...because("refuses every call", [
    "refuseManagementEnd",
    "refuseMcpEnd",
    "refuseToolsetEnd",
    "refuseUpstreamEnd",
  ]),
};

function because<Name extends RouteName>(reason: string, names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, reason])) as Record<Name, string>;
}
