import { randomBytes } from "node:crypto";
import { type ConnectionUuid, type EnvironmentId, MINUTE } from "#foundation";

/** Leave for one end user to make connections, until it expires; what has become of the latest attempt. */
export interface ConnectSession extends SessionAttempt {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly settings: SessionSettings;
  readonly sealedDefaults: Buffer | undefined;
  /** The connection that is authorized again; undefined: a new one is made. */
  readonly reconnects: ConnectionUuid | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** How far an attempt to make a connection is. */
export interface SessionAttempt {
  readonly state: "waiting" | "success" | "error";
  readonly connectionUuid: ConnectionUuid | undefined;
  /** The connection awaits a message of the provider. */
  readonly isPending: boolean;
  readonly error: SessionError | undefined;
  /** What the client calls it. */
  readonly attemptId: string | undefined;
}

export interface AttemptName {
  /** Of the flow, where a browser is on its way. */
  readonly id: string;
  /** What the client calls it. */
  readonly attemptId?: string | undefined;
  /** The socket's client that awaits the end. */
  readonly clientId?: string | undefined;
}

/** An end user connects to a few providers; each connection costs work at one of them. */
export const MAX_CONNECTIONS_PER_SESSION = 50;

/** Stored as it is, so nothing in it may be secret. */
export interface SessionSettings {
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly endUser?: EndUser | undefined;
  /** Names of integrations; empty or undefined: any. */
  readonly allowedIntegrations?: readonly string[] | undefined;
  /** Pages that may embed the hosted page or learn of the end; empty or undefined: any. */
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly returnUrl?: string | undefined;
  readonly overrides?: Readonly<Record<string, IntegrationOverride>> | undefined;
  readonly webhookUrlOverride?: string | undefined;
  /** A reconnect may end with another account than the connection has. */
  readonly mayChangeAccount?: boolean | undefined;
  /** Of the session's pages; undefined: the browser's. */
  readonly language?: PageLanguage | undefined;
  /** `manage`: shows and ends connections, and makes none; undefined: makes them. */
  readonly purpose?: "connect" | "manage" | undefined;
}

export type PageLanguage = "en" | "de" | "fr" | "es" | "ja";

export interface EndUser {
  readonly id: string;
  readonly email?: string | undefined;
  readonly display_name?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly organization?:
    | { readonly id: string; readonly display_name?: string | undefined }
    | undefined;
}

export interface IntegrationOverride {
  readonly docs_connect?: string | undefined;
}

/** What the customer fixed, by integration; sealed, for it may hold an OAuth client's secret. */
export type SessionDefaults = Readonly<Record<string, IntegrationDefaults>>;

/** The end user's own values give way to these. */
export interface IntegrationDefaults {
  readonly user_scopes?: string | undefined;
  readonly authorization_params?: Readonly<Record<string, string>> | undefined;
  readonly connection_config?: Readonly<Record<string, string>> | undefined;
}

export interface SessionError {
  readonly type: string;
  readonly message: string;
}

export const SESSION_LIFE_MS = 30 * MINUTE;

/** Hash purpose of session tokens. */
export const SESSION_TOKEN = "connect-session-token";

const PREFIX = "svc_connect_session_";
const pattern = new RegExp(`^${PREFIX}[0-9a-f]{64}$`);

export function newSessionToken(): string {
  return PREFIX + randomBytes(32).toString("hex");
}

/** Whether the text claims to be a session token, well-formed or not; such a text is never tried as a key. */
export function isSessionToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

export function isWellFormedSessionToken(text: string): boolean {
  return pattern.test(text);
}

export function allowsIntegration({ settings }: ConnectSession, key: string): boolean {
  if (settings.purpose === "manage") return false;
  const allowed = settings.allowedIntegrations ?? [];
  return allowed.length === 0 || allowed.includes(key);
}

/** Whether pages of this origin may embed the hosted page and learn how an attempt ended. */
export function allowsOrigin({ allowedOrigins = [] }: SessionSettings, origin: string): boolean {
  return allowedOrigins.length === 0 || allowedOrigins.includes(origin);
}
