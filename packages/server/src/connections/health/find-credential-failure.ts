import type { AppError, ConnectionUuid, EnvironmentContext } from "#foundation";
import { findIntegrationById } from "#integrations";
import { standingProblem } from "../connection.ts";
import { findConnectionByUuid } from "../read/get-connection.ts";
import { toRefreshError } from "../refresh/refresh-error.ts";

/** Why a connection whose token the provider refuses gets no other one; undefined where nothing is known to be wrong. */
export async function findCredentialFailure(
  ctx: EnvironmentContext,
  uuid: ConnectionUuid,
): Promise<AppError | undefined> {
  const connection = await findConnectionByUuid(ctx, uuid);
  if (connection === undefined) return undefined;
  const integration = await findIntegrationById(ctx, connection.integrationId);
  if (integration === undefined) return undefined;
  const now = ctx.clock.now();
  const problem = standingProblem(connection, integration, now);
  if (problem === undefined || problem.kind === "internal") return undefined;
  return toRefreshError(connection, problem, now);
}
