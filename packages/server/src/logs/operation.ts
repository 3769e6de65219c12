/** What an operation can be; later slices add theirs here. */
export const operationActions = {
  sync: [
    "init",
    "run",
    "request_run",
    "request_run_full",
    "pause",
    "unpause",
    "cancel",
    "create_variant",
    "delete_variant",
  ],
  action: ["run"],
  proxy: ["call"],
  webhook: ["incoming", "storage", "forward", "sync", "connection_create", "connection_refresh"],
  events: ["post_connection_creation", "pre_connection_deletion", "validate_connection"],
  deploy: ["custom", "prebuilt"],
  auth: [
    "create_connection",
    "refresh_token",
    "revoke_token",
    "post_connection",
    "connection_test",
  ],
  admin: ["change", "logs_left_out"],
} as const;

type Actions = typeof operationActions;

export type OperationKind = {
  [Type in keyof Actions]: { readonly type: Type; readonly action: Actions[Type][number] };
}[keyof Actions];

export type OpenState = "waiting" | "running";
export type EndState = "success" | "failed" | "timeout" | "cancelled";
export type OperationState = OpenState | EndState;

export type LogLevel = "debug" | "info" | "warn" | "error";

/** What an operation is about; shown as it is, so no field may hold a credential. */
export interface OperationSubject {
  readonly integration?: { readonly id: number; readonly name: string; readonly provider: string };
  readonly connection?: { readonly id: number; readonly name: string };
  readonly function?: { readonly id: number; readonly name: string };
}

export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly payload?: unknown;
  /** Where connecting to a provider failed, and what the provider answered. */
  readonly stage?: string | undefined;
  readonly upstream?: { readonly status: number; readonly body: string } | undefined;
}

/** Never holds a body; `url` and `headers` without credentials. */
export interface LoggedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface LoggedResponse {
  readonly code: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Meta = Readonly<Record<string, unknown>>;

export type OperationInput = OperationKind &
  OperationSubject & { readonly message: string; readonly meta?: Meta };

const levels = {
  success: "info",
  failed: "error",
  timeout: "error",
  cancelled: "warn",
} as const satisfies Record<EndState, LogLevel>;

export function levelOf(state: EndState): LogLevel {
  return levels[state];
}
