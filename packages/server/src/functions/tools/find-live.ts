import { getIntegrationById, type Integration } from "#integrations";
import { AppError, type EnvironmentContext } from "#platform";

/** Undefined for an integration that was deleted since the functions were read. */
export async function findLive(
  ctx: EnvironmentContext,
  id: number,
): Promise<Integration | undefined> {
  try {
    return await getIntegrationById(ctx, id);
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return undefined;
    throw error;
  }
}
