import type { ActionError } from "./action-error.ts";
import type { ConnectionCredentials } from "./api-types.ts";
import type {
  Connection,
  EnvironmentVariable,
  GetConnectionOptions,
  MetadataResponse,
  OAuth1Token,
} from "./connection.ts";
import type {
  Integration,
  TriggerSyncOptions,
  UncontrolledFetchOptions,
} from "./platform-types.ts";
import type {
  ProxyConfiguration,
  ProxyResponse,
  RequestConfiguration,
} from "./proxy-configuration.ts";
import type {
  CheckpointOf,
  CheckpointSchema,
  DeletedRecordOf,
  MetadataOf,
  MetadataSchema,
  ModelSchemas,
  OutputOf,
  RecordChangeOf,
  RecordOf,
  SavedCheckpoint,
  Schema,
  StoredRecordOf,
  UntypedData,
} from "./schemas.ts";

/** How far an action is; `total` and `progress` in the same unit of the author's choice. */
export interface Progress {
  progress: number;
  total?: number;
  /** At most 500 characters. */
  message?: string;
}

/** A question to the user of the agent that called the action. */
export interface ElicitQuestion<Answer> {
  /** At most 2,000 characters; never ask for a password or a key. */
  message: string;
  /** `z.object()` of texts, numbers, booleans and choices, at most 20; or the same as JSON Schema. */
  schema: Answer;
  /** Distinguishes questions of one call; by their order unless given. */
  key?: string;
}

export type ElicitAnswer<Content> =
  | { action: "accept"; content: Content }
  | { action: "decline" | "cancel"; content?: undefined };

export type LogLevel = "debug" | "info" | "warn" | "error" | "off";
/** The older names mean: `verbose` and `silly` debug, `http` info. */
export type AnyLogLevel = LogLevel | "verbose" | "silly" | "http";

/** What every function is given: facts of the run, the provider's API, the connection, checkpoints, logs. */
export interface SvcAction<
  Metadata extends MetadataSchema = MetadataSchema,
  Checkpoint extends CheckpointSchema = CheckpointSchema,
> {
  readonly connectionId: string;
  readonly providerConfigKey: string;
  readonly provider: string;
  readonly environmentName: string;
  readonly environmentId: string;
  readonly accountId: string | undefined;
  /** The connection's `id` in the API. */
  readonly svcConnectionId: number | undefined;
  /** Of the function that runs. */
  readonly syncConfig: { readonly sync_name: string; readonly attributes: object };
  /** The level from which log lines are kept. */
  readonly logger: { readonly level: LogLevel };
  /** Operation of the run, under which its log lines are found. */
  readonly activityLogId: string;
  /** Id of the run. */
  readonly syncJobId: string | undefined;
  readonly scriptType: "action" | "sync" | "webhook" | "on-event";
  /** Whether this is a dry run. */
  readonly isCLI: boolean;
  /** W3C Trace Context of the run, for systems of yours that it calls; undefined while the server sends no traces. */
  readonly traceparent: string | undefined;
  /** Aborted when the run is cancelled; pass it on to what takes a signal. */
  readonly abortSignal: AbortSignal;
  /** `throw new svc.ActionError({...})` ends the run with a payload for the caller. */
  readonly ActionError: typeof ActionError;

  /** Calls the provider; any status but 2xx throws a ProxyError. */
  proxy<Data = UntypedData>(config: ProxyConfiguration): Promise<ProxyResponse<Data>>;
  get<Data = UntypedData>(config: RequestConfiguration): Promise<ProxyResponse<Data>>;
  post<Data = UntypedData>(config: RequestConfiguration): Promise<ProxyResponse<Data>>;
  put<Data = UntypedData>(config: RequestConfiguration): Promise<ProxyResponse<Data>>;
  patch<Data = UntypedData>(config: RequestConfiguration): Promise<ProxyResponse<Data>>;
  delete<Data = UntypedData>(config: RequestConfiguration): Promise<ProxyResponse<Data>>;
  /** Walks a list page by page: `for await (const page of svc.paginate({...}))`. */
  paginate<Item = UntypedData>(config: ProxyConfiguration): AsyncGenerator<Item[], undefined, void>;

  /** This connection, or another of the environment; remembered for 60 s unless an option is given. */
  getConnection(
    providerConfigKey?: string,
    connectionId?: string,
    options?: GetConnectionOptions,
  ): Promise<Connection>;
  /** OAuth 2: the access token; OAuth 1: token and secret; else the credentials. */
  getToken(): Promise<string | OAuth1Token | ConnectionCredentials>;
  /** As the schema has it; null when nothing was ever set, which the type leaves to the schema. */
  getMetadata<Result = MetadataOf<Metadata>>(): Promise<Result>;
  /** Resolves to the answer of the API to the same change, as does `updateMetadata`. */
  setMetadata(metadata: object): Promise<MetadataResponse>;
  /** Replaces the given top-level keys and keeps the others. */
  updateMetadata(metadata: object): Promise<MetadataResponse>;
  /** @deprecated read `fieldMapping` of the metadata */
  getFieldMapping(): Promise<Record<string, string>>;
  /** @deprecated write `fieldMapping` with `updateMetadata` */
  setFieldMapping(mapping: Record<string, string>): Promise<MetadataResponse>;
  getEnvironmentVariables(): Promise<EnvironmentVariable[] | null>;
  /** The function's own integration; remembered for 10 minutes. */
  getIntegration(options?: {
    include?: readonly ("webhook" | "credentials")[];
  }): Promise<Integration>;
  /** Where the provider sends this integration's webhooks. */
  getWebhookURL(): Promise<string | null | undefined>;
  /** Calls any public address without credentials and without retries. */
  uncontrolledFetch(options: UncontrolledFetchOptions): Promise<Response>;

  /**
   * Runs another action of the environment and gives its output; up to 4 deep. A failure is an error whose
   * `response.data.error` is the API's.
   */
  triggerAction<Output = UntypedData>(
    providerConfigKey: string,
    connectionId: string,
    actionName: string,
    input?: unknown,
  ): Promise<Output>;
  triggerAction<Input, Output>(
    providerConfigKey: string,
    connectionId: string,
    actionName: string,
    input?: Input,
  ): Promise<Output>;
  /** Tells who called the action how far it is: an agent's client shows it. Nothing happens where nobody asked. */
  reportProgress(progress: Progress): Promise<void>;
  /**
   * Asks the user of the agent that called the action, before it changes anything: the run ends here, and the action
   * runs again from its beginning when the answer has come. Throws an error of the type `elicitation_unavailable`
   * where nobody can be asked.
   */
  elicit<Answer extends Schema>(
    question: ElicitQuestion<Answer>,
  ): Promise<ElicitAnswer<OutputOf<Answer>>>;
  elicit(
    question: ElicitQuestion<Record<string, unknown>>,
  ): Promise<ElicitAnswer<Record<string, UntypedData>>>;

  /** Runs a sync now; during a run it leads to one run after it. */
  triggerSync(
    providerConfigKey: string,
    connectionId: string | undefined,
    sync: string | { name: string; variant?: string },
    opts?: TriggerSyncOptions,
  ): Promise<void>;
  /** Puts syncs on their schedule; without a connection, those of all connections. */
  startSync(
    providerConfigKey: string,
    syncs: readonly (string | { name: string; variant?: string })[],
    connectionId?: string,
  ): Promise<void>;

  /** Takes a lock of the environment for `ttlMs`; false when another run holds it. Ends with the run. */
  tryAcquireLock(lock: { key: string; ttlMs: number }): Promise<boolean>;
  /** False when this run did not hold it. */
  releaseLock(lock: { key: string }): Promise<boolean>;
  releaseAllLocks(): Promise<void>;

  /** `log(message, meta?, { level }?)`; level info unless given. */
  log(...args: unknown[]): Promise<void>;
  setLogger(options: { level: AnyLogLevel }): void;

  getCheckpoint(): Promise<SavedCheckpoint<Checkpoint> | null>;
  /** Saves a flat object; on a long run it may then pause the run, which resumes from this checkpoint. */
  saveCheckpoint(checkpoint: CheckpointOf<Checkpoint>): Promise<void>;
  clearCheckpoint(): Promise<void>;

  /** Checks an action's input; on failure logs each issue and throws an ActionError. */
  zodValidateInput<Checked extends Schema>(check: {
    zodSchema: Checked;
    input: unknown;
  }): Promise<{ success: true; data: OutputOf<Checked>; error?: never }>;
}

/** What on-event functions are given: the same as actions. */
export type SvcOnEvent<
  Metadata extends MetadataSchema = MetadataSchema,
  Checkpoint extends CheckpointSchema = CheckpointSchema,
> = SvcAction<Metadata, Checkpoint>;

/** What a sync's `exec` and `onWebhook` are given. */
export interface SvcSync<
  Models extends ModelSchemas = ModelSchemas,
  Metadata extends MetadataSchema = MetadataSchema,
  Checkpoint extends CheckpointSchema = CheckpointSchema,
> extends SvcAction<Metadata, Checkpoint> {
  /** `base`, or the name of the sync variant that runs. */
  readonly variant: string;
  readonly syncId: string | undefined;
  /** @deprecated attributes of the deployment */
  getFlowAttributes(): Record<string, UntypedData>;
  /** Start of the last successful run; undefined on the first run and after a reset. */
  readonly lastSyncDate: Date | undefined;

  // Errors tell of the last form of a method, so that is the one to write.
  /** @deprecated name the model by the second argument alone */
  batchSave<Given extends object = never>(
    records: readonly NoInfer<Given>[] | null | undefined,
    model: keyof Models & string,
  ): Promise<true>;
  /** Adds or updates records by id, 1000 at a time; earlier ones stay when a later one fails. */
  batchSave<Name extends keyof Models & string>(
    records: readonly RecordOf<Models, Name>[] | null | undefined,
    model: Name,
  ): Promise<true>;
  /** @deprecated name the model by the second argument alone */
  batchSend<Given extends object = never>(
    records: readonly NoInfer<Given>[] | null | undefined,
    model: keyof Models & string,
  ): Promise<true>;
  /** @deprecated the older name of batchSave */
  batchSend<Name extends keyof Models & string>(
    records: readonly RecordOf<Models, Name>[] | null | undefined,
    model: Name,
  ): Promise<true>;
  /** @deprecated name the model by the second argument alone */
  batchUpdate<Given extends object = never>(
    records: readonly NoInfer<Given>[] | null | undefined,
    model: keyof Models & string,
  ): Promise<true>;
  /** Merges fields into stored records, objects at every depth, arrays replaced; unknown ids are passed over. */
  batchUpdate<Name extends keyof Models & string>(
    records: readonly RecordChangeOf<Models, Name>[] | null | undefined,
    model: Name,
  ): Promise<true>;
  /** @deprecated name the model by the second argument alone */
  batchDelete<Given extends object = never>(
    records: readonly NoInfer<Given>[] | null | undefined,
    model: keyof Models & string,
  ): Promise<true>;
  /** Marks records as deleted, at their own `deletedAt` or else now; their last payload is kept. */
  batchDelete<Name extends keyof Models & string>(
    records: readonly DeletedRecordOf<Models, Name>[] | null | undefined,
    model: Name,
  ): Promise<true>;
  /** @deprecated name the model by the second argument alone */
  getRecordsByIds<Id extends string | number, Given extends object = never>(
    ids: readonly NoInfer<Id>[],
    // Without a type argument no model fits, so that the form below is taken.
    model: [Given] extends [never] ? never : keyof Models & string,
  ): Promise<Map<Id, Given>>;
  /** Stored records by the ids as given, deleted ones included; ids that are not stored are absent. */
  getRecordsByIds<Name extends keyof Models & string, Id extends string | number>(
    ids: readonly Id[],
    model: Name,
  ): Promise<Map<Id, StoredRecordOf<Models, Name>>>;
  /** Every stored record in the order of changes, deleted ones included; after a record's cursor if given. */
  listRecords<Name extends keyof Models & string>(
    model: Name,
    options?: { cursor?: string },
  ): AsyncGenerator<StoredRecordOf<Models, Name>, undefined, void>;
  /**
   * Once per model and run, before anything is saved. `ignore_if_modified_after` leaves alone the records that
   * another run changes after this call.
   */
  setMergingStrategy<Name extends keyof Models & string>(
    merging: { strategy: "override" | "ignore_if_modified_after" },
    model: Name,
  ): Promise<void>;
  /** Begins to note which records are saved; call it before the first batch of the model. */
  trackDeletesStart<Name extends keyof Models & string>(model: Name): Promise<void>;
  /** Marks the model's records that were not saved since trackDeletesStart as deleted, all or none. */
  trackDeletesEnd<Name extends keyof Models & string>(
    model: Name,
  ): Promise<{ deletedKeys: string[] }>;
  /** @deprecated use trackDeletesStart and trackDeletesEnd */
  deleteRecordsFromPreviousExecutions<Name extends keyof Models & string>(
    model: Name,
  ): Promise<{ deletedKeys: string[] }>;
}
