import { AppError, type SystemContext } from "#foundation";

/** Where customers reach the database; throws feature_disabled where the operator has not turned SQL access on. */
export function requireOffered({ settings }: Pick<SystemContext, "settings">): URL {
  if (settings.sqlAccess !== undefined) return new URL(settings.sqlAccess.url);
  throw new AppError(
    "feature_disabled",
    "SQL access is off in this installation: its operator turns it on with SVC_SQL_ACCESS=on.",
  );
}
