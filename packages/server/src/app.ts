// The slices that make up the server, and who of them reacts to what: the only place that ties slices upwards.
import type { RouteName } from "@jackfield/contract";
import type { RuntimeMethod } from "@jackfield/contract/runtime";
import { actions } from "#actions";
import { agents, deleteDocumentOf, queueUpstreamRefresh } from "#agents";
import { audit, eraseNamesFromAudit } from "#audit";
import { bulk } from "#bulk";
import { connect, connectionContents, listAllowedIntegrations, settlePending } from "#connect";
import {
  connectionChecked,
  connectionCreated,
  connectionDeleting,
  connectionDeletingWatched,
  connections,
  connectionsDeleted,
  connectionsLeaving,
  connectionsRemoved,
  connectionValidating,
  countForIntegrations,
  countForProviders,
  deleteConnectionsFirst,
  deleteConnectionsOf,
  frozenCredentialsLeaving,
  frozenCredentialsRenewed,
  listConnectionsForIntegration,
  postponeForConnections,
  readingThrough,
} from "#connections";
import { dashboard } from "#dashboard";
import { deleteDestinationsOfEnvironment, destinations } from "#destinations";
import { diagnosis } from "#diagnosis";
import { endUsers, namesErasing } from "#end-users";
import {
  environmentDeleted,
  environmentErasing,
  environments,
  failingReceivers,
} from "#environments";
import { events } from "#events";
import { type EnvironmentContext, type HookAnswer, on } from "#foundation";
import {
  answerRuntimeCalls,
  canaryRolledBack,
  canaryStarted,
  deleteFunctionsOf,
  deleteTapesOfDeleted,
  functions,
  functionsDeployed,
  hasPreDeletion,
  hasValidators,
  queuePostCreation,
  runPreDeletion,
  runValidators,
} from "#functions";
import { gateway } from "#gateway";
import { installation } from "#installation";
import {
  allowedIntegrations,
  followProvider,
  integrationConnections,
  integrationDeleting,
  integrationLeaving,
  integrationStats,
  integrations,
  removeIntegrationsLater,
} from "#integrations";
import { legacyEndpoints } from "#legacy-endpoints";
import { logs } from "#logs";
import { management } from "#management";
import { mcp } from "#mcp";
import {
  followMovedCreated,
  followMovedDeleted,
  forgetPlatformsOfEnvironment,
  oldPlatforms,
  readThrough,
} from "#old-platforms";
import { pageFiles } from "#page-files";
import { people } from "#people";
import { problems } from "#problems";
import { customProviderChanged, providerStats, providers } from "#providers";
import { proxy, quotaWaiting } from "#proxy";
import {
  countChangedRecords,
  countRecordsOf,
  deleteRecordsOfConnections,
  dropRecordsAtLast,
  dropRecordsLater,
  records,
  recordsChanged,
} from "#records";
import { followLeaving, followRenewed, lockItemsOfConnections, revocations } from "#revocations";
import { simulator } from "#simulator";
import type { RoutesOf, RuntimeOf } from "#slice";
import { dropSqlAccessAtLast, endSqlAccessOfEnvironment, sqlAccess } from "#sql-access";
import { status } from "#status";
import {
  countChanges,
  countRunsBefore,
  createSyncsOfConnection,
  createSyncsOfFunctions,
  deleteSyncsOfConnections,
  deleteSyncsOfEnvironment,
  lockSyncsOfConnections,
  noteQuotaWait,
  resumeSyncsOfConnection,
  syncs,
  takeBackCanary,
} from "#syncs";
import { forgetArrivals, forgetInboxAtLast, webhooksIn } from "#webhooks-in";
import {
  deleteSequencesOf,
  findFailingReceivers,
  forgetDeliveriesAtLast,
  webhooksOut,
} from "#webhooks-out";

/** From those that others know nothing of to those that all build on: daily work is done in this order. */
export const slices = [
  installation,
  management,
  bulk,
  diagnosis,
  endUsers,
  events,
  problems,
  revocations,
  oldPlatforms,
  agents,
  webhooksIn,
  mcp,
  legacyEndpoints,
  actions,
  syncs,
  destinations,
  sqlAccess,
  records,
  functions,
  proxy,
  connect,
  connections,
  integrations,
  webhooksOut,
  providers,
  people,
  gateway,
  environments,
  audit,
  logs,
  simulator,
  dashboard,
  pageFiles,
  status,
] as const;

type Served = (typeof slices)[number];

/** What no slice answers. */
type Unanswered = Exclude<RouteName, RoutesOf<Served>> | Exclude<RuntimeMethod, RuntimeOf<Served>>;

// An error of types here names a route or a call of functions that no slice answers.
true satisfies [Unanswered] extends [never] ? true : Unanswered;

/** Who reacts to what. */
export const reactions: readonly HookAnswer<EnvironmentContext>[] = [
  on(failingReceivers, findFailingReceivers),
  on(environmentDeleted, removeIntegrationsLater),
  on(environmentErasing, postponeForConnections),
  on(environmentDeleted, deleteSyncsOfEnvironment),
  on(environmentDeleted, deleteDestinationsOfEnvironment),
  on(environmentDeleted, endSqlAccessOfEnvironment),
  on(environmentDeleted, forgetPlatformsOfEnvironment),
  on(environmentDeleted, dropRecordsLater),
  on(environmentErasing, dropSqlAccessAtLast),
  on(environmentErasing, dropRecordsAtLast),
  on(environmentErasing, forgetInboxAtLast),
  on(environmentErasing, forgetDeliveriesAtLast),
  on(integrationLeaving, deleteConnectionsFirst),
  on(integrationDeleting, deleteConnectionsOf),
  on(integrationDeleting, deleteFunctionsOf),
  on(integrationDeleting, deleteDocumentOf),
  on(allowedIntegrations, listAllowedIntegrations),
  on(connectionChecked, hasValidators),
  on(connectionValidating, runValidators),
  on(connectionCreated, queuePostCreation),
  on(connectionCreated, createSyncsOfConnection),
  on(connectionCreated, resumeSyncsOfConnection),
  on(connectionCreated, settlePending),
  on(connectionCreated, queueUpstreamRefresh),
  on(connectionCreated, followMovedCreated),
  on(readingThrough, readThrough),
  on(connectionDeletingWatched, hasPreDeletion),
  on(connectionDeleting, runPreDeletion),
  on(connectionContents, countRecordsOf),
  on(connectionsLeaving, lockSyncsOfConnections),
  on(connectionsLeaving, lockItemsOfConnections),
  on(connectionsDeleted, deleteSyncsOfConnections),
  on(connectionsDeleted, deleteRecordsOfConnections),
  on(connectionsDeleted, deleteTapesOfDeleted),
  on(connectionsDeleted, forgetArrivals),
  on(connectionsDeleted, followMovedDeleted),
  on(connectionsRemoved, deleteSequencesOf),
  on(frozenCredentialsLeaving, followLeaving),
  on(frozenCredentialsRenewed, followRenewed),
  on(integrationConnections, listConnectionsForIntegration),
  on(integrationStats, countForIntegrations),
  on(providerStats, countForProviders),
  on(functionsDeployed, createSyncsOfFunctions),
  on(canaryStarted, countRunsBefore),
  on(canaryRolledBack, takeBackCanary),
  on(recordsChanged, countChanges),
  on(quotaWaiting, noteQuotaWait),
  on(recordsChanged, countChangedRecords),
  on(namesErasing, eraseNamesFromAudit),
  on(customProviderChanged, followProvider),
  answerRuntimeCalls(slices.map((slice) => ("runtime" in slice ? slice.runtime : {}))),
];
