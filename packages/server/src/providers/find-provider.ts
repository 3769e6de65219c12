import { getProvider, type Provider } from "@jackfield/catalogue";
import type { EnvironmentContext } from "#foundation";
import { type ProviderDefinition, toProvider } from "./custom-provider.ts";
import { findCustomProviderRow } from "./store.ts";

export interface FoundProvider {
  readonly provider: Provider;
  /** Undefined for a provider of the folder or the catalogue, whose latest definition counts. */
  readonly definition: ProviderDefinition | undefined;
}

/** A provider by its id: the environment's own, then the folder's, then the built-in one. */
export async function findProvider(
  ctx: EnvironmentContext,
  id: string,
): Promise<FoundProvider | undefined> {
  const own = await findCustomProviderRow(ctx.db, ctx.environment.id, id);
  if (own !== undefined) {
    const definition = { entry: own.entry, version: own.version };
    return { provider: toProvider(own), definition };
  }
  const provider = getProvider(id);
  return provider === undefined ? undefined : { provider, definition: undefined };
}
