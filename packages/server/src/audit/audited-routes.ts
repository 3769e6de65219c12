import type { RouteDefinition, RouteName } from "@jackfield/contract";

/** Routes that change something and leave no row of their own, and why. */
const unaudited: Partial<Readonly<Record<RouteName, string>>> = {
  ...because("calls of customers' backends, which the logs hold", [
    "proxyRequest",
    "sendProxyRequest",
    "callEndpoint",
    "triggerAction",
    "triggerSyncs",
    "callMcp",
    "callToolset",
    "passToUpstream",
    "refreshUpstream",
    "refreshConnection",
    "createConnectSession",
    "createReconnectSession",
  ]),
  ...because("it calls other routes, which leave rows of their own", ["callManagement"]),
  ...because("data of connections that backends keep up to date, at any rate", [
    "setMetadata",
    "updateMetadata",
    "setMetadataOfOne",
    "updateMetadataOfOne",
  ]),
  ...because("end users and providers act here, whose operations the logs hold", [
    "answerAgentAuthorization",
    "decideAgentConsent",
    "decideAgentApprovalOnPage",
    "speakOauth",
    "deleteConnectSession",
    "openConnectLink",
    "useConnectLink",
    "reconnectOwnConnection",
    "connectWithClientCredentials",
    "connectWithApiKey",
    "connectWithBasic",
    "connectWithTokens",
    "connectWithJwt",
    "connectWithTwoSteps",
    "connectWithSignature",
    "connectWithBill",
    "connectWithAwsRole",
    "connectWithNothing",
    "connectFromOutside",
    "forwardPostedCallback",
    "receiveWebhook",
  ]),
  ...because("how a user's own tables look", ["setOwnPreferences"]),
  ...because("changes nothing that lasts", [
    "sendCliTelemetry",
    "sendConnectTelemetry",
    "diagnoseConnection",
    "validateProvider",
    "compileFunction",
    "planDeployment",
    "previewBundle",
    "previewToolset",
    "stageDeployment",
    "stageFunctions",
    "stageBundles",
    "planStagedDeployment",
    "getPasskeySignInOptions",
    "getPasskeyOptions",
  ]),
  ...because("records sign-ins and their failures itself", [
    "claimSetupLink",
    "signInByPassword",
    "signInByPasskey",
    "redeemLink",
  ]),
};

function because<Name extends RouteName>(reason: string, names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, reason])) as Record<Name, string>;
}

/** Whether a route leaves a row: each that changes something, unless it is listed here with the reason. */
export function isAudited(name: string, { method }: RouteDefinition): boolean {
  return method !== "GET" && !Object.hasOwn(unaudited, name);
}
