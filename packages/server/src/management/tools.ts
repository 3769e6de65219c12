import { type RouteDefinition, type RouteName, routes, type Scope } from "@jackfield/contract";
import * as z from "zod";
import { type Actor, holdsScope } from "#foundation";
import { describeTool, type Effect, type ShownTool } from "./describe-tool.ts";

interface ToolPlan {
  readonly route: RouteName;
  readonly effect: Effect;
  /** In place of the route's summary, where a model needs more. */
  readonly description?: string;
  /** Fields that no tool takes: secrets, what answers with them, and what only older clients send. */
  readonly without?: readonly string[];
  /** Whether it calls a provider. */
  readonly callsOut?: boolean;
}

/** What a coding agent has for its work. None of them answers with credentials. */
const plans = {
  list_providers: { route: "listProviders", effect: "read", without: ["include", "fields"] },
  get_provider: { route: "getProvider", effect: "read" },
  list_integrations: { route: "listIntegrations", effect: "read", without: ["include"] },
  get_integration: { route: "getIntegration", effect: "read", without: ["include"] },
  list_connections: {
    route: "listConnections",
    effect: "read",
    description:
      "Lists connections, newest first: whose they are, their state and when they expire",
    without: [
      "include",
      "refresh_token",
      "page",
      "endUserId",
      "endUserOrganizationId",
      "unused_since",
      "reauthorize_before",
    ],
  },
  diagnose_connection: {
    route: "diagnoseConnection",
    effect: "read",
    callsOut: true,
    description:
      "Finds out why a connection does not work: each part of the way to its provider, with a cure",
  },
  create_connect_session: {
    route: "createConnectSession",
    effect: "write",
    without: [
      "end_user",
      "organization",
      "integrations_config_defaults",
      "overrides",
      "webhook_url_override",
      "allowed_origins",
    ],
    description: "Makes a link by which an end user connects an account; hand its connect_link on",
  },
  list_problems: { route: "listProblems", effect: "read" },
  list_operations: {
    route: "listOperations",
    effect: "read",
    description: "Searches the log: what ran, for whom, how it ended; newest first",
  },
  list_operation_messages: { route: "listOperationMessages", effect: "read" },
  get_metric_totals: { route: "getMetricTotals", effect: "read" },
  list_functions: { route: "listEnvironmentFunctions", effect: "read" },
  get_function: { route: "getFunction", effect: "read" },
  get_function_code: { route: "getFunctionCode", effect: "read" },
  compile_function: {
    route: "compileFunction",
    effect: "read",
    description: "Checks the source of a function, and answers what it defines or what is wrong",
  },
  start_dry_run: {
    route: "createDryRun",
    effect: "write",
    callsOut: true,
    description:
      "Runs the source of a function for a connection: nothing is deployed and no record saved, but its calls reach the provider. Read the outcome with get_dry_run",
  },
  get_dry_run: { route: "getDryRun", effect: "read" },
  deploy_function: {
    route: "createDeployment",
    effect: "destructive",
    description: "Deploys the source of one function. Read the outcome with get_deployment",
  },
  get_deployment: { route: "getDeployment", effect: "read" },
  list_deployments: { route: "listPastDeployments", effect: "read" },
  roll_back_deployment: { route: "rollBackDeployment", effect: "destructive" },
  list_syncs: { route: "listSyncs", effect: "read" },
  list_sync_runs: { route: "listSyncRuns", effect: "read" },
  trigger_syncs: {
    route: "triggerSyncs",
    effect: "write",
    callsOut: true,
    without: ["sync_mode", "full_resync"],
  },
  pause_syncs: { route: "pauseSyncs", effect: "write" },
  start_syncs: { route: "startSyncs", effect: "write" },
  list_record_models: { route: "listRecordModels", effect: "read" },
  list_records: { route: "listRecords", effect: "read", without: ["delta"] },
  call_action: {
    route: "triggerAction",
    effect: "destructive",
    callsOut: true,
    without: ["connection-id", "provider-config-key", "x-async", "x-max-retries"],
    description: "Runs an action for a connection, and answers with its output",
  },
  list_webhook_deliveries: { route: "listWebhookDeliveries", effect: "read" },
  list_inbound_webhooks: { route: "listInbox", effect: "read" },
} as const satisfies Record<string, ToolPlan>;

export interface ManagementTool {
  readonly name: string;
  readonly route: RouteDefinition;
  /** Names of all that it takes: of the path, the query, the headers and the body. */
  readonly fields: readonly string[];
  /** As a client sees it. */
  readonly shown: ShownTool;
}

const tools: ReadonlyMap<string, ManagementTool> = new Map(
  Object.entries<ToolPlan>(plans).map(([name, plan]) => {
    const route: RouteDefinition = routes[plan.route];
    const input = inputOf(route, plan);
    const { description = route.summary, ...hints } = plan;
    const shown = describeTool({ ...hints, name, description, input });
    return [name, { name, route, fields: Object.keys(input.shape), shown }];
  }),
);

function inputOf(route: RouteDefinition, { without = [] }: ToolPlan): z.ZodObject {
  const shape = { ...route.params?.shape, ...route.query?.shape, ...route.headers?.shape };
  const body = route.body instanceof z.ZodObject ? route.body.shape : {};
  const fields = Object.entries({ ...shape, ...body }).filter(([name]) => !without.includes(name));
  return z.strictObject(Object.fromEntries(fields));
}

/** The tools whose routes the caller may call. */
export function listTools(actor: Actor): ManagementTool[] {
  return [...tools.values()].filter(({ route }) => mayCall(actor, route));
}

/** Undefined where there is none, or none for this caller. */
export function findTool(actor: Actor, name: string): ManagementTool | undefined {
  const tool = tools.get(name);
  return tool !== undefined && mayCall(actor, tool.route) ? tool : undefined;
}

function mayCall(actor: Actor, { scope }: RouteDefinition): boolean {
  if (scope === "any-key") return true;
  const wanted = [scope].flat() as readonly Scope[];
  return wanted.some((each) => holdsScope(actor, each));
}
