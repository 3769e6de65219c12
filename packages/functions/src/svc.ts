import type * as z from "zod";
import type { ActionError } from "./action-error.ts";
import type {
  Connection,
  ConnectionCredentials,
  EnvironmentVariable,
  GetConnectionOptions,
  OAuth1Token,
} from "./connection.ts";
import type {
  PaginatedConfiguration,
  ProxyConfiguration,
  ProxyResponse,
  RequestConfiguration,
} from "./proxy-configuration.ts";
import type {
  CheckpointSchema,
  DeletedRecordOf,
  MetadataOf,
  MetadataSchema,
  ModelSchemas,
  RecordOf,
  SavedCheckpoint,
  UntypedData,
} from "./schemas.ts";

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
  paginate<Item = UntypedData>(
    config: PaginatedConfiguration,
  ): AsyncGenerator<Item[], undefined, void>;

  /** This connection, or another of the environment; remembered for 60 s unless an option is given. */
  getConnection(
    providerConfigKey?: string,
    connectionId?: string,
    options?: GetConnectionOptions,
  ): Promise<Connection>;
  /** OAuth 2: the access token; OAuth 1: token and secret; else the credentials. */
  getToken(): Promise<string | OAuth1Token | ConnectionCredentials>;
  getMetadata<Result = MetadataOf<Metadata>>(): Promise<Result | null>;
  setMetadata(metadata: object): Promise<void>;
  /** Replaces the given top-level keys and keeps the others. */
  updateMetadata(metadata: object): Promise<void>;
  getEnvironmentVariables(): Promise<EnvironmentVariable[] | null>;

  /** `log(message, meta?, { level }?)`; level info unless given. */
  log(...args: unknown[]): Promise<void>;
  setLogger(options: { level: AnyLogLevel }): void;

  getCheckpoint(): Promise<SavedCheckpoint<Checkpoint> | null>;
  /** Saves a flat object; on a long run it may then pause the run, which resumes from this checkpoint. */
  saveCheckpoint(checkpoint: z.input<Checkpoint>): Promise<void>;
  clearCheckpoint(): Promise<void>;

  /** Checks an action's input; on failure logs each issue and throws an ActionError. */
  zodValidateInput<Schema extends z.ZodType>(check: {
    zodSchema: Schema;
    input: unknown;
  }): Promise<z.ZodSafeParseSuccess<z.output<Schema>>>;
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
  /** Start of the last successful run; undefined on the first run and after a reset. */
  readonly lastSyncDate: Date | undefined;

  /** Adds or updates records by id, 1000 at a time; earlier ones stay when a later one fails. */
  batchSave<Name extends keyof Models & string>(
    records: readonly RecordOf<Models, Name>[] | null | undefined,
    model: Name,
  ): Promise<true>;
  /** Marks records as deleted; their last payload is kept. */
  batchDelete<Name extends keyof Models & string>(
    records: readonly DeletedRecordOf<Models, Name>[] | null | undefined,
    model: Name,
  ): Promise<true>;
}
