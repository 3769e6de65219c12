import type { Provider } from "@jackfield/catalogue";
import { getAuthMode } from "#auth-modes";
import { findCallbackUrl } from "#environments";
import type { EnvironmentContext } from "#foundation";

/** What to register at the provider as callback URL; undefined where the end user never leaves our pages. */
export async function findCallbackUrlOf(
  ctx: EnvironmentContext,
  { auth_mode: mode }: Provider,
): Promise<string | undefined> {
  if (getAuthMode(mode).startAuthorization === undefined) return undefined;
  return await findCallbackUrl(ctx);
}
