import { AppError, type EnvironmentContext, invalidFields } from "#foundation";
import { withTransaction } from "#foundation/db";
import { recordChange } from "#logs";
import {
  type CustomProvider,
  findIdFault,
  type ProviderEntry,
  readCustomEntry,
} from "./custom-provider.ts";
import { customProviderChanged } from "./hooks.ts";
import {
  countCustomProvidersAlone,
  deleteCustomProviderRow,
  insertCustomProvider,
  replaceCustomProvider,
} from "./store.ts";

// Lists show all of them at once.
const MAX_PROVIDERS = 200;

/** Keeps a provider of the environment's own; throws invalid_body with the faults of its entry, or resource_capped. */
export async function createCustomProvider(
  ctx: EnvironmentContext,
  { entry, replacesBuiltIn }: { entry: ProviderEntry; replacesBuiltIn: boolean },
): Promise<CustomProvider> {
  const { id } = requireProvider(entry);
  const fault = findIdFault(id, { replacesBuiltIn });
  if (fault !== undefined) throw refuse([fault], ["entry", "id"]);
  const now = ctx.clock.now();
  const row = { slug: id, version: 1, replacesBuiltIn, entry, createdAt: now, updatedAt: now };
  const created = await withTransaction(ctx, async (ctx) => {
    const count = await countCustomProvidersAlone(ctx.db, ctx.environment.id);
    if (count >= MAX_PROVIDERS) throw tooMany();
    return await insertCustomProvider(ctx.db, ctx.environment.id, row);
  });
  if (created === undefined) {
    throw refuse([`is taken: change ${id} with PATCH /custom-providers/${id}`], ["entry", "id"]);
  }
  recordChange(ctx, { message: `Add the provider ${id}` });
  return created;
}

/** Replaces the entry; integrations that follow the latest take it in the same transaction. */
export async function updateCustomProvider(
  ctx: EnvironmentContext,
  { slug, entry }: { slug: string; entry: ProviderEntry },
): Promise<CustomProvider> {
  const { id } = requireProvider(entry);
  if (id !== slug) throw refuse([`must stay ${slug}`], ["entry", "id"]);
  const changed = await withTransaction(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const row = await replaceCustomProvider(ctx.db, ctx.environment.id, { slug, entry, now });
    if (row === undefined) throw notFound(slug);
    const definition = { entry: row.entry, version: row.version };
    await ctx.hooks.tell(customProviderChanged, ctx, { slug, definition });
    return row;
  });
  recordChange(ctx, { message: `Change the provider ${slug}`, meta: { version: changed.version } });
  return changed;
}

/** Integrations keep the version that they have. */
export async function deleteCustomProvider(ctx: EnvironmentContext, slug: string): Promise<void> {
  if (!(await deleteCustomProviderRow(ctx.db, ctx.environment.id, slug))) throw notFound(slug);
  recordChange(ctx, { message: `Delete the provider ${slug}` });
}

function tooMany(): AppError {
  return new AppError(
    "resource_capped",
    `An environment has at most ${MAX_PROVIDERS} providers of its own; delete some.`,
  );
}

export function notFound(slug: string): AppError {
  const message = `This environment has no provider ${slug} of its own; list them with GET /custom-providers.`;
  return new AppError("not_found", message);
}

function requireProvider(entry: ProviderEntry) {
  const { provider, faults } = readCustomEntry(entry);
  if (provider !== undefined) return provider;
  throw refuse(faults, ["entry"]);
}

function refuse(faults: readonly string[], path: readonly string[]): AppError {
  return invalidFields(
    "invalid_body",
    faults.map((fault) => ({ path: [...path], message: fault.replace(/^entry: /, "") })),
  );
}
