/**
 * What function authors import as `jackfield`: the three definitions, ActionError and the types around them.
 * It is bundled into every function, so it stays free of Node-only code and of the runtime.
 */
export { ActionError } from "./action-error.ts";
export type {
  ApiKeyCredentials,
  AppCredentials,
  AwsSigV4Credentials,
  BasicCredentials,
  BillCredentials,
  ConnectionCredentials,
  CustomCredentials,
  JwtCredentials,
  NoCredentials,
  OAuth1Credentials,
  OAuth2ClientCredentials,
  OAuth2Credentials,
  SignatureCredentials,
  TbaCredentials,
  TwoStepCredentials,
} from "./api-types.ts";
export type {
  Connection,
  EnvironmentVariable,
  GetConnectionOptions,
  MetadataResponse,
  OAuth1Token,
} from "./connection.ts";
export {
  type AgentHints,
  type ContentBlock,
  type CreateActionProps,
  type CreateActionResponse,
  createAction,
} from "./create-action.ts";
export {
  type CreateOnEventProps,
  type CreateOnEventResponse,
  createOnEvent,
  type OnEventName,
} from "./create-on-event.ts";
export {
  type CreateSyncProps,
  type CreateSyncResponse,
  createSync,
  type SyncEndpoint,
} from "./create-sync.ts";
export type { EgressHost, FunctionReach } from "./egress.ts";
export type { CreateAnyResponse, NangoAction, NangoSync } from "./other-names.ts";
export type {
  Integration,
  TriggerSyncOptions,
  UncontrolledFetchOptions,
} from "./platform-types.ts";
export type {
  CursorPagination,
  HttpMethod,
  LinkPagination,
  OffsetPagination,
  PaginatedConfiguration,
  Pagination,
  ProxyConfiguration,
  ProxyResponse,
  QueryParams,
  RequestConfiguration,
  RetryHeader,
} from "./proxy-configuration.ts";
export type {
  AnyRecord,
  CheckpointSchema,
  DeletedRecordOf,
  MetadataSchema,
  ModelSchema,
  ModelSchemas,
  ObjectSchema,
  RecordOf,
  SavedCheckpoint,
  Schema,
} from "./schemas.ts";
export type {
  AnyLogLevel,
  ElicitAnswer,
  ElicitQuestion,
  LogLevel,
  Progress,
  SvcAction,
  SvcOnEvent,
  SvcSync,
} from "./svc.ts";
