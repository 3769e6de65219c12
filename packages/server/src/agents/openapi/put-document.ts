import { createHash, randomUUID } from "node:crypto";
import { AppError, type EnvironmentContext, SECOND } from "#foundation";
import { allowLongStatements, withTransaction } from "#foundation/db";
import { getIntegration, type Integration } from "#integrations";
import { recordChange } from "#logs";
import type { DocumentOptions } from "./planning/plan-document.ts";
import { invalid, planInThread } from "./planning/plan-thread.ts";
import {
  countOperations,
  deleteDocument,
  lockDocuments,
  replaceDocument,
} from "./storing/store.ts";

/** Of one environment, in all of its documents. */
export const MOST_OF_ENVIRONMENT = 10_000;
/** GitHub's, the largest of a known provider, has 13 MB. */
export const DOCUMENT_BYTES: number = 16 * 1024 * 1024;
const FETCH_TIMEOUT_MS = 30 * SECOND;

interface GivenDocument {
  readonly uniqueKey: string;
  readonly text: string | undefined;
  readonly url: string | undefined;
  readonly options: DocumentOptions;
}

/** Makes the document's operations tools of the integration, in place of those of an earlier one. */
export async function putDocument(
  ctx: EnvironmentContext,
  { uniqueKey, text: sent, url, options }: GivenDocument,
): Promise<Integration> {
  const integration = await getIntegration(ctx, uniqueKey);
  const text = url === undefined ? (sent ?? "") : await fetchDocument(ctx, url);
  const bytes = Buffer.byteLength(text);
  if (bytes > DOCUMENT_BYTES) {
    throw invalid(`The document has ${bytes} bytes; at most ${DOCUMENT_BYTES} are taken.`);
  }
  const planned = await planInThread(ctx, text, options);
  const { id: integrationId } = integration;
  allowLongStatements();
  await withTransaction(ctx, async (ctx) => {
    await lockDocuments(ctx.db, ctx.environment.id);
    const others = await countOperations(ctx.db, ctx.environment.id, { otherThan: integrationId });
    if (others + planned.operations.length > MOST_OF_ENVIRONMENT) {
      throw new AppError(
        "resource_capped",
        `The documents of an environment have at most ${MOST_OF_ENVIRONMENT} operations; those of other integrations have ${others}, this one ${planned.operations.length}. Choose some by include.`,
      );
    }
    await replaceDocument(ctx.db, ctx.environment.id, {
      ...planned,
      ...{ id: randomUUID(), integrationId, sourceUrl: url, bytes, options },
      ...{ sha256: createHash("sha256").update(text).digest(), createdAt: ctx.clock.now() },
    });
  });
  const count = planned.operations.length;
  recordChange(ctx, { message: `Make ${count} operations tools of "${uniqueKey}"` });
  return integration;
}

/** Throws what the egress rules refuse, and upstream errors. */
async function fetchDocument(ctx: EnvironmentContext, url: string): Promise<string> {
  const answer = await ctx.http.request({
    ...{ method: "GET", url, timeoutMs: FETCH_TIMEOUT_MS, maxResponseBytes: DOCUMENT_BYTES },
  });
  if (answer.status === 200) return answer.body.toString("utf8");
  throw new AppError(
    "upstream_unreachable",
    `${new URL(url).hostname} answers ${answer.status} where the document should be.`,
  );
}

/** Its operations are tools no more; throws not_found. */
export async function removeDocument(ctx: EnvironmentContext, uniqueKey: string): Promise<void> {
  const { id } = await getIntegration(ctx, uniqueKey);
  if (!(await deleteDocument(ctx.db, ctx.environment.id, id))) throw noDocument(uniqueKey);
  recordChange(ctx, { message: `Remove the OpenAPI document of "${uniqueKey}"` });
}

export function noDocument(uniqueKey: string): AppError {
  return new AppError(
    "not_found",
    `"${uniqueKey}" has no OpenAPI document; send one with PUT /integrations/${uniqueKey}/openapi.`,
  );
}

/** What goes with an integration. */
export async function deleteDocumentOf(
  ctx: EnvironmentContext,
  { id }: Pick<Integration, "id">,
): Promise<void> {
  await deleteDocument(ctx.db, ctx.environment.id, id);
}
