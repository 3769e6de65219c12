import { AppError, addMs, SECOND } from "#foundation";
import type { Connection, RefreshProblem } from "../connection.ts";
import { stageFieldsOf } from "../read/stage-fields.ts";

/** In a copy the refresh token may be the one that the original works with: using it here would end it there. */
export function toQuarantineError({ connectionId }: Pick<Connection, "connectionId">): AppError {
  return new AppError(
    "quarantined",
    `The credentials of connection ${connectionId} have to be renewed, which this copy of an installation does not do until its operator runs \`jackfield resume\`.`,
    { headers: { "Retry-After": "60" } },
  );
}

/** The error for a caller whose credentials could not be renewed. */
export function toRefreshError(
  connection: Pick<Connection, "connectionId" | "refresh" | "readThrough">,
  problem: RefreshProblem,
  now: Date,
): AppError {
  const subject = `The credentials of connection ${connection.connectionId}`;
  const renewer = connection.readThrough === undefined ? "the provider" : "the old platform";
  const details = problem.stage === undefined ? {} : { details: [stageFieldsOf(problem)] };
  switch (problem.kind) {
    case "revoked":
      return new AppError(
        "invalid_credentials",
        `${subject} can no longer be renewed, so its end user has to authorize again: ${problem.message}`,
        details,
      );
    case "misconfigured":
      if (connection.readThrough !== undefined) {
        return new AppError(
          "connection_refresh_backoff",
          `${subject} cannot be read from the old platform: ${problem.message}`,
          details,
        );
      }
      return new AppError(
        "integration_misconfigured",
        `${subject} cannot be renewed with the integration's OAuth client; correct the integration: ${problem.message}`,
        details,
      );
    case "unavailable": {
      const waitMs = (connection.refresh.notBefore?.getTime() ?? 0) - now.getTime();
      const seconds = Math.max(1, Math.ceil(waitMs / SECOND));
      // Runs keep the text, which is read long after.
      const at = addMs(now, seconds * SECOND).toISOString();
      return new AppError(
        "connection_refresh_backoff",
        `${subject} have expired and ${renewer} did not renew them; the next attempt is in ${seconds} s (${at}): ${problem.message}`,
        { ...details, headers: { "Retry-After": String(seconds) } },
      );
    }
    case "internal":
      return new AppError("server_error");
  }
}
