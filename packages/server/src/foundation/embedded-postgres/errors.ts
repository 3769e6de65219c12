/** The embedded database could not be started or stopped; the message says why and what to do. */
export class EmbeddedPostgresError extends Error {
  override name = "EmbeddedPostgresError";
}

/** Another living process uses the embedded database of this data folder. */
export class DataFolderInUseError extends EmbeddedPostgresError {
  override name = "DataFolderInUseError";
}

/** The system's error code (`ENOENT`, `EACCES`, ...) of a failed call, if it has one. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
