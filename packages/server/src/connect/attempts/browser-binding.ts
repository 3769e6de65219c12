import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Settings } from "#foundation";
import { SESSION_LIFE_MS } from "../session.ts";

/**
 * Ties a flow to the browser that began it (RFC 9700 4.7): a cookie holds a random secret, the flow
 * its hash. Each flow has a cookie of its own, so that two tabs do not disturb each other.
 */
export interface BrowserBinding {
  readonly cookie: string;
  readonly secretHash: string;
}

export function newBrowserBinding(settings: Settings, flowId: string): BrowserBinding {
  const secret = randomBytes(32).toString("base64url");
  const maxAgeSeconds = SESSION_LIFE_MS / 1000;
  return {
    cookie: setCookie(settings, flowId, secret, maxAgeSeconds),
    secretHash: hashSecret(secret).toString("base64url"),
  };
}

/** The header that makes the browser forget the cookie of a flow. */
export function clearBrowserBinding(settings: Settings, flowId: string): string {
  return setCookie(settings, flowId, "", 0);
}

/** Whether the request's cookies hold the secret of this flow. */
export function isBoundBrowser(
  settings: Settings,
  flowId: string,
  secretHash: string,
  cookieHeader: string | undefined,
): boolean {
  const prefix = `${cookieName(settings, flowId)}=`;
  const values = (cookieHeader ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix));
  const expected = Buffer.from(secretHash, "base64url");
  return values.some((pair) => timingSafeEqual(hashSecret(pair.slice(prefix.length)), expected));
}

function setCookie(settings: Settings, flowId: string, value: string, maxAge: number): string {
  const name = cookieName(settings, flowId);
  const secure = isHttps(settings) ? "; Secure" : "";
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}

function cookieName(settings: Settings, flowId: string): string {
  const name = `svc-flow-${flowId.slice(0, 8)}`;
  return isHttps(settings) ? `__Host-${name}` : name;
}

function isHttps({ serverUrl }: Settings): boolean {
  return serverUrl.startsWith("https:");
}

function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
