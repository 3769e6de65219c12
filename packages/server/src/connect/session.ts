import { randomBytes } from "node:crypto";
import { type ConnectionUuid, type EnvironmentId, MINUTE } from "#platform";

/** Leave for one end user to make one connection. */
export interface ConnectSession {
  readonly id: string;
  readonly environmentId: EnvironmentId;
  readonly settings: SessionSettings;
  readonly state: "waiting" | "success" | "error";
  readonly connectionUuid: ConnectionUuid | undefined;
  readonly error: SessionError | undefined;
  readonly expiresAt: Date;
}

export interface SessionSettings {
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Names of integrations; empty or undefined: any. */
  readonly allowedIntegrations?: readonly string[] | undefined;
  readonly defaults: Readonly<Record<string, IntegrationDefaults>>;
  readonly webhookUrlOverride?: string | undefined;
}

/** What the customer fixed for one integration; the end user's own values give way. */
export interface IntegrationDefaults {
  readonly userScopes?: string | undefined;
  readonly authorizationParams?: Readonly<Record<string, string>> | undefined;
  readonly connectionConfig?: Readonly<Record<string, string>> | undefined;
}

export interface SessionError {
  readonly type: string;
  readonly message: string;
}

export const SESSION_LIFE_MS = 30 * MINUTE;

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
  const allowed = settings.allowedIntegrations ?? [];
  return allowed.length === 0 || allowed.includes(key);
}
