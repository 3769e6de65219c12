import type { FlatImport } from "@jackfield/contract";
import { AppError, addMs, SECOND } from "#foundation";

type MissingCode = Extract<ConstructorParameters<typeof AppError>[0], `missing_${string}`>;

/** Refuses an older import with the code that names what it lacks. */
export function refuseMissing(code: MissingCode | "invalid_expires_at"): never {
  throw new AppError(code);
}

/** Expiry of an older import as ISO 8601: a date, seconds from now, or none by request. */
export function readFlatExpiry(body: FlatImport, now: Date): string | undefined {
  if (body.no_expiration === true) return undefined;
  if (body.expires_in !== undefined) return addMs(now, body.expires_in * SECOND).toISOString();
  if (body.expires_at === undefined) return refuseMissing("missing_expires_at");
  const date = new Date(body.expires_at);
  return Number.isNaN(date.getTime()) ? refuseMissing("invalid_expires_at") : date.toISOString();
}

/** The installation of an app. */
export function readFlatInstallation(body: FlatImport): Record<string, unknown> {
  return {
    app_id: body.app_id || refuseMissing("missing_app_id"),
    installation_id: body.installation_id || refuseMissing("missing_installation_id"),
  };
}
