import { Agent, AgentSessions, Toolsets, Upstreams } from "./agents/agent-methods.ts";
import type { HttpClient } from "./calls/http.ts";
import { Actions } from "./methods/actions.ts";
import { AccountApiKeys, ApiKeys } from "./methods/api-keys.ts";
import { Audit } from "./methods/audit.ts";
import { ConnectLinks, ConnectSessions } from "./methods/connect.ts";
import { Connections } from "./methods/connections.ts";
import { Canaries, Deployments, DryRuns } from "./methods/deployments.ts";
import { EnvironmentOfKey, Environments, Variables } from "./methods/environments.ts";
import { Functions } from "./methods/functions.ts";
import { Integrations } from "./methods/integrations.ts";
import { Metrics, Operations, Problems, Tapes } from "./methods/logs.ts";
import { CustomProviders, Providers } from "./methods/providers.ts";
import { Records } from "./methods/records.ts";
import { Syncs } from "./methods/syncs.ts";
import {
  Inbox,
  WebhookDeliveries,
  WebhookReceivers,
  WebhookSettingsOfKey,
} from "./methods/webhooks.ts";
import { BulkJobs, EndUsers, Installation } from "./people/end-user-methods.ts";
import { OldPlatforms } from "./people/old-platforms.ts";
import { Revocations } from "./people/revocations.ts";
import { Accounts, SignIn, Users } from "./people/user-methods.ts";
import { Destinations } from "./records/destinations.ts";
import { SqlAccesses } from "./records/sql-access.ts";

/** The calls of the API, by what they are about. */
export abstract class Namespaces {
  /** Connections: the credentials of end users, and what is kept with them. */
  readonly connections: Connections;
  /** Sessions in which end users connect. */
  readonly connectSessions: ConnectSessions;
  /** Links that begin such sessions. */
  readonly connectLinks: ConnectLinks;
  /** What syncs saved. */
  readonly records: Records;
  /** Tables of your own to which changes of records are delivered. */
  readonly destinations: Destinations;
  /** A read-only login of the database, with views of the records. */
  readonly sqlAccess: SqlAccesses;
  /** Actions, at once or later. */
  readonly actions: Actions;
  /** When syncs run, and how they did. */
  readonly syncs: Syncs;
  /** Providers of the catalogue. */
  readonly providers: Providers;
  /** Providers of the environment itself. */
  readonly customProviders: CustomProviders;
  /** Providers as the environment uses them. */
  readonly integrations: Integrations;
  /** Functions that are deployed. */
  readonly functions: Functions;
  /** Source that is tried without deploying it. */
  readonly dryRuns: DryRuns;
  /** Source that is deployed, and what every way of deploying did. */
  readonly deployments: Deployments;
  /** Deployments that some connections try first. */
  readonly canaries: Canaries;
  /** What ran, and what it logged. */
  readonly operations: Operations;
  /** Recorded runs, and which runs are recorded. */
  readonly tapes: Tapes;
  /** What ran, in figures. */
  readonly metrics: Metrics;
  /** What is wrong in the environment. */
  readonly problems: Problems;
  /** Environments of the account; with a key of the account. */
  readonly environments: Environments;
  /** The environment that the key belongs to. */
  readonly environment: EnvironmentOfKey;
  /** Variables of the environment. */
  readonly variables: Variables;
  /** Keys of environments. */
  readonly apiKeys: ApiKeys;
  /** Keys of the account. */
  readonly accountApiKeys: AccountApiKeys;
  /** Who changed what; with a key of the account. */
  readonly audit: Audit;
  /** Where webhooks go, and the keys that sign them. */
  readonly webhookSettings: WebhookSettingsOfKey;
  /** Webhooks that were sent, and sending them again. */
  readonly webhookDeliveries: WebhookDeliveries;
  /** Addresses that webhooks go to. */
  readonly webhookReceivers: WebhookReceivers;
  /** Webhooks that providers have sent. */
  readonly inbox: Inbox;
  /** Sessions in which an agent acts for one end user. */
  readonly agentSessions: AgentSessions;
  /** Which tools agents have. */
  readonly toolsets: Toolsets;
  /** MCP servers of others, whose tools integrations have. */
  readonly upstreams: Upstreams;
  /** Agents: their sessions with tools, and what they did. */
  readonly agent: Agent;
  /** The people of an account; with a key of the account. */
  readonly users: Users;
  /** The accounts of an installation with several; with a key of the first one. */
  readonly accounts: Accounts;
  /** How people sign in; with a key of the account. */
  readonly signIn: SignIn;
  /** Erasing what belongs to end users. */
  readonly endUsers: EndUsers;
  /** One action to many connections or syncs. */
  readonly bulkJobs: BulkJobs;
  /** Freezing connections at once and withdrawing their tokens, with signed reports. */
  readonly revocations: Revocations;
  /** Platforms that connections move away from. */
  readonly oldPlatforms: OldPlatforms;
  /** How the installation does; with a key of the account. */
  readonly installation: Installation;

  constructor(http: HttpClient) {
    this.connections = new Connections(http);
    this.connectSessions = new ConnectSessions(http);
    this.connectLinks = new ConnectLinks(http);
    this.records = new Records(http);
    this.destinations = new Destinations(http);
    this.sqlAccess = new SqlAccesses(http);
    this.actions = new Actions(http);
    this.syncs = new Syncs(http);
    this.providers = new Providers(http);
    this.customProviders = new CustomProviders(http);
    this.integrations = new Integrations(http);
    this.functions = new Functions(http);
    this.dryRuns = new DryRuns(http);
    this.deployments = new Deployments(http);
    this.canaries = new Canaries(http);
    this.operations = new Operations(http);
    this.tapes = new Tapes(http);
    this.metrics = new Metrics(http);
    this.problems = new Problems(http);
    this.environments = new Environments(http);
    this.environment = new EnvironmentOfKey(http);
    this.variables = new Variables(http);
    this.apiKeys = new ApiKeys(http);
    this.accountApiKeys = new AccountApiKeys(http);
    this.audit = new Audit(http);
    this.webhookSettings = new WebhookSettingsOfKey(http);
    this.webhookDeliveries = new WebhookDeliveries(http);
    this.webhookReceivers = new WebhookReceivers(http);
    this.inbox = new Inbox(http);
    this.agentSessions = new AgentSessions(http);
    this.toolsets = new Toolsets(http);
    this.upstreams = new Upstreams(http);
    this.agent = new Agent(http);
    this.users = new Users(http);
    this.accounts = new Accounts(http);
    this.signIn = new SignIn(http);
    this.endUsers = new EndUsers(http);
    this.bulkJobs = new BulkJobs(http);
    this.revocations = new Revocations(http);
    this.oldPlatforms = new OldPlatforms(http);
    this.installation = new Installation(http);
  }
}
