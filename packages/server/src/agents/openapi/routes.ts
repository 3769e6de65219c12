import type { apiDocumentRoutes, RouteOutput } from "@jackfield/contract";
import type { EnvironmentContext } from "#foundation";
import type { RouteHandlers } from "#foundation/http";
import { listFunctions } from "#functions";
import { getIntegration, type Integration } from "#integrations";
import { effectOf, tokensOf } from "../catalogue/describe-tools.ts";
import { toolNameOf } from "../catalogue/tool-name.ts";
import { noDocument, putDocument, removeDocument } from "./put-document.ts";
import { findDocument, listOperationRows } from "./storing/store.ts";

type Shown = RouteOutput<typeof apiDocumentRoutes.getApiDocument>["data"];

export const apiDocumentHandlers = {
  getApiDocument: async (ctx, { params }) => {
    const integration = await getIntegration(ctx, params.uniqueKey);
    return { data: await present(ctx, integration) };
  },
  putApiDocument: async (ctx, { params, body }) => {
    const { document: text, url, include, exclude, effects, base_path: basePath } = body;
    const integration = await putDocument(ctx, {
      ...{ uniqueKey: params.uniqueKey, text, url },
      options: { include, exclude, effects, basePath: basePath?.replace(/\/$/, "") },
    });
    return { data: await present(ctx, integration) };
  },
  deleteApiDocument: async (ctx, { params }) => {
    await removeDocument(ctx, params.uniqueKey);
    return undefined;
  },
} satisfies RouteHandlers<typeof apiDocumentRoutes>;

async function present(ctx: EnvironmentContext, integration: Integration): Promise<Shown> {
  const { id, uniqueKey } = integration;
  const document = await findDocument(ctx.db, ctx.environment.id, id);
  if (document === undefined) throw noDocument(uniqueKey);
  const rows = await listOperationRows(ctx.db, ctx.environment.id, id);
  const actions = await listFunctions(ctx, { integration, type: "action" });
  const taken = new Set(actions.map(({ name }) => name));
  const { include, exclude, effects, basePath } = document.options;
  return {
    ...{ integration: uniqueKey, title: document.title, version: document.version },
    ...{ source_url: document.sourceUrl, sha256: document.sha256.toString("hex") },
    bytes: document.bytes,
    ...(include === undefined ? {} : { include: [...include] }),
    ...(exclude === undefined ? {} : { exclude: [...exclude] }),
    ...(effects === undefined ? {} : { effects: { ...effects } }),
    ...(basePath === undefined ? {} : { base_path: basePath }),
    operations: rows.map((row) => ({
      ...{ name: row.name, tool: toolNameOf(uniqueKey, row.name), operation_id: row.operationId },
      ...{ method: row.method, path: row.path, title: row.title, tags: [...row.tags] },
      ...{ effect: effectOf(row, integration), tokens: tokensOf(row) },
      ...(taken.has(row.name) ? { hidden_by: "action" as const } : {}),
    })),
    left_out: document.refused.map(({ operation, reason }) => ({ operation, reason })),
    excluded: document.excluded,
    created_at: document.createdAt.toISOString(),
  };
}
