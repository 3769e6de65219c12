import { readdir, readFile } from "node:fs/promises";
import type { RouteOutput, routes } from "@jackfield/contract";
import { expect, expectTypeOf, test } from "vitest";
import type * as z from "zod";
import type {
  AllowedDeletes,
  ChangedWebhookSettings,
  CompiledFunction,
  Connection,
  ConnectionChange,
  ConnectionCounts,
  ConnectSession,
  CreatedApiKey,
  CreatedEnvironment,
  Deployment,
  DryRun,
  Environment,
  EnvironmentSettings,
  EnvironmentSettingsChange,
  EnvironmentVariable,
  FunctionVersion,
  InboundWebhook,
  InboundWebhookWithHeaders,
  Integration,
  ListedConnectSession,
  ListedFunction,
  ListedSync,
  MetadataChange,
  MetricSeries,
  MetricTotal,
  NewConnectSession,
  NewDeployment,
  NewDryRun,
  NewEnvironment,
  NewReconnectSession,
  Operation,
  OperationMessage,
  PastDeployment,
  Provider,
  ProviderRequest,
  ProviderSummary,
  RecordModel,
  StageCount,
  StartedDryRun,
  SyncRun,
  SyncStatus,
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
  WebhookReceiver,
  WebhookReplay,
  WebhookReplayProgress,
  WebhookSettingsWithKeys,
  WebhookTest,
} from "./api-types/index.ts";
import type {
  ApiKeyChange,
  AuditQuery,
  CredentialReadsQuery,
  HistogramQuery,
  InboxQuery,
  MessageFilter,
  NewApiKey,
  OperationFilter,
  OperationNameQuery,
  SeriesQuery,
  TotalsQuery,
  WebhookDeliveryQuery,
  WebhookSettings,
} from "./management.ts";
import type {
  ConnectionFilter,
  FunctionFilter,
  FunctionQuery,
  RecordModelFilter,
  SyncFilter,
} from "./requests.ts";
import type { RecordPage } from "./resources.ts";

type Routes = typeof routes;
type Output<Name extends keyof Routes> = RouteOutput<Routes[Name]>;
type Body<Name extends keyof Routes> = Routes[Name] extends {
  body: infer Schema extends z.ZodType;
}
  ? z.input<Schema>
  : never;

// The compiler checks these: an error here means that the contract has moved.
test("what the API answers is what the client says", () => {
  expectTypeOf<Output<"listProviders">>().toExtend<{ data: (Provider | ProviderSummary)[] }>();
  expectTypeOf<Output<"listProviderStages">>().toExtend<{ data: StageCount[] }>();
  expectTypeOf<Output<"listIntegrations">>().toExtend<{ data: Integration[] }>();
  expectTypeOf<Output<"getIntegration">>().toExtend<{ data: Integration }>();
  // The contract does not tell the types of credentials apart.
  type Untyped = Omit<Connection, "credentials">;
  expectTypeOf<Output<"getConnection">>().toExtend<Untyped>();
  expectTypeOf<Output<"createConnection">>().toExtend<Untyped>();
  expectTypeOf<Output<"listConnections">>().toExtend<{ connections: Untyped[] }>();
  expectTypeOf<Output<"countConnections">>().toExtend<{ data: ConnectionCounts }>();
  expectTypeOf<Output<"refreshConnection">>().toExtend<{ refreshed: boolean; data: Untyped }>();
  expectTypeOf<NonNullable<Connection["credentials"]>>().toExtend<
    NonNullable<Output<"getConnection">["credentials"]>
  >();
  expectTypeOf<Output<"setMetadata">>().toExtend<MetadataChange>();
  expectTypeOf<Output<"createConnectSession">>().toExtend<{ data: ConnectSession }>();
  expectTypeOf<Output<"listConnectSessions">>().toExtend<{ data: ListedConnectSession[] }>();
  expectTypeOf<Output<"getSyncStatus">>().toExtend<{ syncs: SyncStatus[] }>();
  expectTypeOf<Output<"listEnvironmentFunctions">>().toExtend<{ data: ListedFunction[] }>();
  expectTypeOf<Output<"listFunctionVersions">>().toExtend<{ data: FunctionVersion[] }>();
  expectTypeOf<Output<"listPastDeployments">>().toExtend<{ data: PastDeployment[] }>();
  expectTypeOf<Output<"rollBackDeployment">>().toExtend<{ data: PastDeployment }>();
  expectTypeOf<Output<"listSyncs">>().toExtend<{ data: ListedSync[] }>();
  expectTypeOf<Output<"listSyncRuns">>().toExtend<{ data: SyncRun[] }>();
  expectTypeOf<Output<"cancelRun">>().toExtend<{ cancelled: boolean; data: SyncRun }>();
  expectTypeOf<Output<"confirmDeletes">>().toExtend<{ allowed: AllowedDeletes[] }>();
  expectTypeOf<Output<"listRecordModels">>().toExtend<{ data: RecordModel[] }>();
  expectTypeOf<Output<"listRecords">>().toExtend<RecordPage<object>>();
  expectTypeOf<Output<"listEnvironmentVariables">>().toExtend<EnvironmentVariable[]>();
});

test("the same of settings, source and logs", () => {
  expectTypeOf<Output<"listEnvironments">>().toExtend<{ data: Environment[] }>();
  expectTypeOf<Output<"createEnvironment">>().toExtend<{ data: CreatedEnvironment }>();
  expectTypeOf<Output<"createApiKey">>().toExtend<{ data: CreatedApiKey }>();
  expectTypeOf<Output<"getEnvironmentSettings">>().toExtend<{ data: EnvironmentSettings }>();
  expectTypeOf<Output<"getWebhookSettings">>().toExtend<{ data: WebhookSettingsWithKeys }>();
  expectTypeOf<Output<"updateWebhookSettings">>().toExtend<{ data: ChangedWebhookSettings }>();
  expectTypeOf<Output<"listWebhookDeliveries">>().toExtend<{ data: WebhookDelivery[] }>();
  expectTypeOf<Output<"listWebhookReceivers">>().toExtend<{ data: WebhookReceiver[] }>();
  expectTypeOf<Output<"testWebhookReceiver">>().toExtend<{ data: WebhookTest }>();
  expectTypeOf<Output<"listInbox">>().toExtend<{ data: InboundWebhook[] }>();
  expectTypeOf<Output<"getInboundWebhook">>().toExtend<{ data: InboundWebhookWithHeaders }>();
  expectTypeOf<Output<"replayWebhookDeliveries">>().toExtend<{ data: WebhookReplayProgress }>();
  expectTypeOf<Output<"getWebhookReplay">>().toExtend<{ data: WebhookReplayProgress }>();
  expectTypeOf<Output<"getWebhookDelivery">>().toExtend<{ data: WebhookDeliveryWithAttempts }>();
  expectTypeOf<Output<"compileFunction">>().toExtend<CompiledFunction>();
  expectTypeOf<Output<"createDryRun">>().toExtend<StartedDryRun>();
  expectTypeOf<Output<"getDryRun">>().toExtend<DryRun>();
  expectTypeOf<Output<"getDeployment">>().toExtend<Deployment>();
  expectTypeOf<Output<"listOperations">>().toExtend<{ data: Operation[] }>();
  expectTypeOf<Output<"listOperationNames">>().toExtend<{
    data: { name: string; count: number }[];
  }>();
  expectTypeOf<Output<"getMetricSeries">>().toExtend<{ data: MetricSeries[] }>();
  expectTypeOf<Output<"getMetricTotals">>().toExtend<{ data: MetricTotal[] }>();
  expectTypeOf<Output<"listOperationMessages">>().toExtend<{ data: OperationMessage[] }>();
});

test("what the client lets a caller send is what the API takes", () => {
  expectTypeOf<NewEnvironment>().toExtend<Body<"createEnvironment">>();
  expectTypeOf<ProviderRequest>().toExtend<Body<"sendProxyRequest">>();
  expectTypeOf<NewApiKey>().toExtend<Body<"createApiKey">>();
  expectTypeOf<ApiKeyChange>().toExtend<Body<"updateApiKey">>();
  expectTypeOf<EnvironmentSettingsChange>().toExtend<Body<"updateEnvironmentSettings">>();
  expectTypeOf<Partial<WebhookSettings>>().toExtend<Body<"updateWebhookSettings">>();
  expectTypeOf<WebhookReplay>().toExtend<Body<"replayWebhookDeliveries">>();
  expectTypeOf<NewDryRun>().toExtend<Body<"createDryRun">>();
  expectTypeOf<NewDeployment>().toExtend<Body<"createDeployment">>();
  expectTypeOf<MetadataChange>().toExtend<Body<"setMetadata">>();
  expectTypeOf<NewConnectSession>().toExtend<Body<"createConnectSession">>();
  expectTypeOf<NewReconnectSession>().toExtend<Body<"createReconnectSession">>();
  expectTypeOf<ConnectionChange>().toExtend<Body<"updateConnection">>();
});

type Query<Name extends keyof Routes> = Routes[Name] extends {
  query: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : never;

/** Parameters that the API takes and a filter lacks, or that a filter has and the API does not know. */
type Strays<Filter, Name extends keyof Routes> =
  | Exclude<keyof Query<Name>, keyof Filter>
  | Exclude<keyof Filter, keyof Query<Name>>;

test("what lists can be filtered by is what the API filters by", () => {
  expectTypeOf<Strays<SyncFilter, "listSyncs">>().toBeNever();
  expectTypeOf<Strays<FunctionFilter, "listEnvironmentFunctions">>().toBeNever();
  expectTypeOf<Strays<RecordModelFilter, "listRecordModels">>().toBeNever();
  expectTypeOf<Strays<OperationFilter, "listOperations">>().toBeNever();
  expectTypeOf<Strays<OperationNameQuery, "listOperationNames">>().toBeNever();
  expectTypeOf<Strays<MessageFilter, "listOperationMessages">>().toBeNever();
  expectTypeOf<Strays<WebhookDeliveryQuery, "listWebhookDeliveries">>().toBeNever();
  expectTypeOf<Strays<InboxQuery, "listInbox">>().toBeNever();
  expectTypeOf<Strays<AuditQuery, "listAuditEvents">>().toBeNever();
  expectTypeOf<Strays<CredentialReadsQuery, "listCredentialReads">>().toBeNever();
  expectTypeOf<Strays<SeriesQuery, "getMetricSeries">>().toBeNever();
  expectTypeOf<Strays<TotalsQuery, "getMetricTotals">>().toBeNever();
  expectTypeOf<Strays<HistogramQuery, "getOperationHistogram">>().toBeNever();
  // Deprecated: the client has `tags` for them.
  type Old = "endUserId" | "endUserOrganizationId";
  expectTypeOf<Exclude<Strays<ConnectionFilter, "listConnections">, Old>>().toBeNever();
  expectTypeOf<Strays<FunctionQuery, "listFunctions">>().toBeNever();
});

test("sources import nothing but each other, and the package needs no other", async () => {
  const folder = new URL("./", import.meta.url);
  const files = (await readdir(folder, { recursive: true })).filter(
    (name) => /^[a-z/-]+\.ts$/.test(name) && !name.startsWith("testing/"),
  );

  const imports = await Promise.all(
    files.map(async (name) => {
      const text = await readFile(new URL(name, folder), "utf8");
      return [...text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map(([, from = ""]) => from);
    }),
  );
  const manifest = await readFile(new URL("../package.json", folder), "utf8");

  expect(files).toContain("calls/http.ts");
  expect(imports.flat().length).toBeGreaterThan(10);
  expect(imports.flat().filter((from) => !/^\.\.?\//.test(from))).toEqual([]);
  expect(JSON.parse(manifest)).not.toHaveProperty("dependencies");
});
