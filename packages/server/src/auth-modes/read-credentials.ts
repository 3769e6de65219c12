import { AppError, invalidFields } from "#foundation";
import type { AuthSubject, ClientOverride, Credentials } from "./auth-mode.ts";

/** A text among credentials that the caller sent; a missing one is an invalid_body. */
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

/** The key to which a connection's tokens are bound (RFC 9449); undefined for plain bearer tokens. */
export function findProofKey(credentials: Credentials): string | undefined {
  return findText(credentials, "dpop_key");
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

/** The fields that the entry asks for next to the mode's own; a missing one is an invalid_body. */
export function readEntryFields(
  { provider }: AuthSubject,
  given: Credentials,
  own: readonly string[],
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, field] of Object.entries(provider.credentials)) {
    if (own.includes(name)) continue;
    const value = findText(given, name) ?? field.default;
    if (value !== undefined) found[name] = value;
    else if (!field.optional && !field.automated) found[name] = requireText(given, name);
  }
  return found;
}

/** Refuses fields that neither the mode nor the entry knows; for forms whose fields the entry decides. */
export function refuseUnknown(
  { provider }: AuthSubject,
  given: Credentials,
  own: readonly string[],
): void {
  const known = new Set(["type", ...own, ...Object.keys(provider.credentials)]);
  const unknown = Object.keys(given).find((name) => !known.has(name));
  if (unknown === undefined) return;
  const message = `${provider.id} has no credential \`${unknown}\`.`;
  throw new AppError("invalid_body", message, {
    details: [{ code: "custom", message, path: ["credentials", unknown] }],
  });
}

/** The client that the connection brings itself. */
export function readOverride(given: Credentials): ClientOverride | undefined {
  const value = given["config_override"];
  if (typeof value !== "object" || value === null) return undefined;
  const texts = Object.entries(value).filter(([, text]) => typeof text === "string" && text !== "");
  return Object.fromEntries(texts);
}

/** For modes whose credentials only the connect flow can make. */
export async function refuseImport({ provider }: AuthSubject): Promise<never> {
  const message = `cannot be imported: those of ${provider.id} come from the connect flow; send your user there with a connect session`;
  throw invalidFields("invalid_body", [{ path: ["credentials"], message }]);
}
