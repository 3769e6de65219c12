import { AppError } from "#platform";
import type { Credentials } from "./auth-mode.ts";

/** A text among credentials that the caller sent; a missing one is told as invalid_body. */
export function requireText(given: Credentials, name: string): string {
  const value = findText(given, name);
  if (value !== undefined) return value;
  const message = `Send the credentials' \`${name}\`.`;
  throw new AppError("invalid_body", message, {
    details: [{ code: "custom", message, path: ["credentials", name] }],
  });
}

/** A text among credentials; an empty one counts as none. */
export function findText(credentials: Credentials, name: string): string | undefined {
  const value = credentials[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function requireType(given: Credentials, type: string): void {
  if (given.type === type) return;
  const message = `This provider takes credentials of type ${type}, not ${given.type}.`;
  throw new AppError("invalid_auth_mode", message, {
    details: [{ code: "custom", message, path: ["credentials", "type"] }],
  });
}

/** Expiry that the caller of an import states, as ISO 8601. */
export function readExpiresAt(given: Credentials): Date | undefined {
  const text = findText(given, "expires_at");
  if (text === undefined) return undefined;
  const date = new Date(text);
  if (!Number.isNaN(date.getTime())) return date;
  const message = "`expires_at` is not an ISO 8601 date.";
  throw new AppError("invalid_body", message, {
    details: [{ code: "custom", message, path: ["credentials", "expires_at"] }],
  });
}
