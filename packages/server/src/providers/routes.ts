import { createHash } from "node:crypto";
import {
  findLogo,
  getCatalogueHash,
  listProviderIds,
  listProviders,
  makeMonogram,
  readProviderFile,
} from "@jackfield/catalogue";
import type { connectStageRoutes, customProviderRoutes, providerRoutes } from "@jackfield/contract";
import { findCallbackUrl } from "#environments";
import {
  AppError,
  DAY,
  type EnvironmentContext,
  holdsScope,
  SECOND,
  type SystemContext,
  serverState,
} from "#foundation";
import type { RawExchange, RouteHandlers } from "#foundation/http";
import {
  createCustomProvider,
  deleteCustomProvider,
  notFound,
  updateCustomProvider,
} from "./change-custom-providers.ts";
import { type CustomProvider, readCustomEntry, toAnswer, toProvider } from "./custom-provider.ts";
import { findProvider } from "./find-provider.ts";
import { providerStats } from "./hooks.ts";
import {
  presentClientFields,
  presentProvider,
  summarise,
  withoutPatterns,
} from "./present-provider.ts";
import { flushStageCounts } from "./stages/count-stage.ts";
import { listStageCounts } from "./stages/store.ts";
import { findCustomProviderRow, listCustomProviderRows } from "./store.ts";

type Bodies = ReadonlyMap<string, ReturnType<typeof presentProvider>>;

// The whole list is asked for again and again, and parsing it again takes a hundred times as long.
const presented = serverState<{ readonly hash: string; readonly bodies: Bodies } | undefined>(
  () => undefined,
);

export const providerHandlers = {
  listProviders: async (ctx, { query }) => {
    const wanted = (query.search ?? "").toLowerCase();
    const bodies = new Map([...presentAll(ctx), ...(await presentOwn(ctx))]);
    const ids = [...new Set([...listProviderIds(), ...bodies.keys()])].toSorted();
    const found = ids.filter((id) => id.toLowerCase().includes(wanted));
    const stats = query.include?.includes("stats") === true ? await readStats(ctx) : undefined;
    const data = found.flatMap((id) => {
      const body = bodies.get(id);
      if (body === undefined) return [];
      const shown = query.fields === "summary" ? summarise(body) : body;
      return stats === undefined ? shown : { ...shown, stats: stats.get(id) ?? UNUSED };
    });
    return { data };
  },
  getProvider: async (ctx, { params }) => {
    const found = await findProvider(ctx, params.provider);
    if (found !== undefined) {
      const own = presentClientFields(found.provider);
      const data = {
        ...presentFound(ctx, found),
        ...(own === undefined ? {} : { integration_credentials: own }),
      };
      if (data.connect_method === "form") return { data };
      return { data: { ...data, callback_url: await findCallbackUrl(ctx) } };
    }
    throw new AppError(
      "not_found",
      `The catalogue has no provider ${params.provider}; list them with GET /providers.`,
    );
  },
  getCatalogue: async (ctx) => Object.fromEntries(presentAll(ctx)),
  getProviderLogo: async (_ctx, { params, query }, exchange) => {
    const id = params.file.replace(/\.svg$/, "");
    await sendProviderLogo({ id, name: query.name }, exchange);
  },
  listCustomProviders: async (ctx) => {
    const rows = await listCustomProviderRows(ctx.db, ctx.environment.id);
    return { data: rows.map(present) };
  },
  getCustomProvider: async (ctx, { params }) => {
    const row = await findCustomProviderRow(ctx.db, ctx.environment.id, params.slug);
    if (row === undefined) throw notFound(params.slug);
    return { data: present(row) };
  },
  createCustomProvider: async (ctx, { body }) => {
    const { entry, replaces_built_in: replacesBuiltIn = false } = body;
    return { data: present(await createCustomProvider(ctx, { entry, replacesBuiltIn })) };
  },
  updateCustomProvider: async (ctx, { params, body }) => {
    const change = { slug: params.slug, entry: body.entry };
    return { data: present(await updateCustomProvider(ctx, change)) };
  },
  deleteCustomProvider: async (ctx, { params }) => {
    await deleteCustomProvider(ctx, params.slug);
    return { success: true };
  },
  validateProvider: async (_ctx, { body }) => {
    const { providers, faults } = read(body);
    return { data: { valid: faults.length === 0, providers, faults: [...faults] } };
  },
  listProviderStages: async (ctx, { query: { provider, from, to } }) => {
    await flushStageCounts(ctx);
    return { data: await listStageCounts(ctx.db, ctx.environment.id, { provider, from, to }) };
  },
} satisfies RouteHandlers<
  typeof providerRoutes & typeof customProviderRoutes & typeof connectStageRoutes
>;

const UNUSED = { integrations: 0, connections: 0 };

async function readStats(ctx: EnvironmentContext) {
  for (const scope of ["environment:integrations:list", "environment:connections:list"] as const) {
    if (!holdsScope(ctx.actor, scope)) {
      throw new AppError("forbidden", `include=stats needs the scope ${scope}.`);
    }
  }
  return await ctx.hooks.ask(providerStats, ctx, {});
}

function read({
  entry,
  file,
}: {
  entry?: CustomProvider["entry"] | undefined;
  file?: string | undefined;
}) {
  if (file !== undefined) {
    const { providers, faults } = readProviderFile("file", file);
    return { providers: providers.map(({ id }) => id), faults: toAnswer(faults) };
  }
  const { provider, faults } = readCustomEntry(entry ?? {});
  return { providers: provider === undefined ? [] : [provider.id], faults };
}

function present({ slug, version, replacesBuiltIn, entry, createdAt, updatedAt }: CustomProvider) {
  return {
    slug,
    version,
    replaces_built_in: replacesBuiltIn,
    entry: { ...entry },
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

function presentFound(
  ctx: EnvironmentContext,
  { provider, definition }: NonNullable<Awaited<ReturnType<typeof findProvider>>>,
) {
  const body = presentProvider(ctx, provider);
  if (definition === undefined) return body;
  const own = { ...body, custom_version: definition.version };
  return ctx.actor.kind === "session" ? withoutPatterns(own) : own;
}

async function presentOwn(ctx: EnvironmentContext): Promise<Bodies> {
  const rows = await listCustomProviderRows(ctx.db, ctx.environment.id);
  return new Map(
    rows.map((row) => {
      const definition = { entry: row.entry, version: row.version };
      return [row.slug, presentFound(ctx, { provider: toProvider(row), definition })];
    }),
  );
}

function presentAll(ctx: Pick<SystemContext, "settings" | "state">): Bodies {
  const hash = getCatalogueHash();
  const known = presented.find(ctx);
  if (known?.hash === hash) return known.bodies;
  const bodies = new Map(listProviders().map((entry) => [entry.id, presentProvider(ctx, entry)]));
  presented.set(ctx, { hash, bodies });
  return bodies;
}

/**
 * Sends a provider's logo as SVG. One without an icon, or not of the catalogue, gets the letters of the
 * given name, which distinguishes integrations of one generic provider.
 */
async function sendProviderLogo(
  { id, name }: { id: string; name: string | undefined },
  { request, reply }: RawExchange,
): Promise<void> {
  const svg = findLogo(id, name) ?? makeMonogram(name ?? id);
  const etag = `"${createHash("sha256").update(svg).digest("base64url").slice(0, 22)}"`;
  const headers = {
    etag,
    "cache-control": `public, max-age=${DAY / SECOND}`,
    "x-content-type-options": "nosniff",
    // Opened by itself, an image must be able to do no more than be seen.
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "cross-origin-resource-policy": "cross-origin",
    "access-control-allow-origin": "*",
  };
  if (request.headers["if-none-match"] === etag) {
    await reply.status(304).headers(headers).send();
    return;
  }
  await reply
    .status(200)
    .headers({ ...headers, "content-type": "image/svg+xml; charset=utf-8" })
    .send(svg);
}
