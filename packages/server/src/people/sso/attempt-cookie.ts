import { createHmac, randomBytes } from "node:crypto";
import { MINUTE, SECOND, type Settings } from "#foundation";
import { isSecure } from "../sessions/session-cookie.ts";

const LIFE_MS = 10 * MINUTE;

/** What ties the answer of an identity provider to the browser that asked: all of it follows from one secret. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  /** RFC 7636. */
  readonly codeVerifier: string;
}

/** Lax, since the browser comes back from elsewhere; it admits nobody. */
export function newAttempt(settings: Settings): { attempt: Attempt; cookie: string } {
  const secret = randomBytes(32).toString("base64url");
  return { attempt: toAttempt(secret), cookie: writeCookie(settings, secret, LIFE_MS / SECOND) };
}

export function readAttempt(settings: Settings, header: string | undefined): Attempt | undefined {
  const prefix = `${nameOf(settings)}=`;
  const found = (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
  const [secret] = found;
  if (found.length !== 1 || secret === undefined || !/^[\w-]{43}$/.test(secret)) return undefined;
  return toAttempt(secret);
}

/** An attempt ends with its answer. */
export function clearAttempt(settings: Settings): string {
  return writeCookie(settings, "", 0);
}

function toAttempt(secret: string): Attempt {
  const derive = (purpose: string) =>
    createHmac("sha256", secret).update(purpose).digest("base64url");
  return { state: derive("state"), nonce: derive("nonce"), codeVerifier: derive("verifier") };
}

function writeCookie(settings: Settings, value: string, maxAgeSeconds: number): string {
  const secure = isSecure(settings) ? "; Secure" : "";
  return `${nameOf(settings)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
}

function nameOf(settings: Settings): string {
  return isSecure(settings) ? "__Host-jackfield-sso" : "jackfield-sso";
}
