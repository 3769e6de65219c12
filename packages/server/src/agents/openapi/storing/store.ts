import { sql } from "kysely";
import type { EnvironmentId } from "#foundation";
import type { Db } from "#foundation/db";
import type { Effect } from "../../toolsets/toolset.ts";
import type {
  DocumentOptions,
  OperationRow,
  PlannedDocument,
  Refusal,
  StoredDefinition,
} from "../planning/plan-document.ts";

export interface NewDocument extends PlannedDocument {
  readonly id: string;
  readonly integrationId: number;
  readonly sourceUrl: string | undefined;
  readonly sha256: Buffer;
  readonly bytes: number;
  readonly options: DocumentOptions;
  readonly createdAt: Date;
}

export interface StoredDocument {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  readonly sourceUrl: string | null;
  readonly sha256: Buffer;
  readonly bytes: number;
  readonly options: DocumentOptions;
  readonly operations: number;
  readonly excluded: number;
  readonly refused: readonly Refusal[];
  readonly createdAt: Date;
}

/** An operation without what only its calls need. */
export interface ListedOperation extends Omit<OperationRow, "definition" | "digest"> {
  readonly integrationId: number;
}

const ROWS_AT_ONCE = 100;

/** In place of the integration's document, with its operations. */
export async function replaceDocument(
  db: Db,
  environmentId: EnvironmentId,
  document: NewDocument,
): Promise<void> {
  const { id, integrationId, title, version, sha256, bytes, operations, createdAt } = document;
  await deleteDocument(db, environmentId, integrationId);
  await sql`
    insert into agent_api_documents (id, environment_id, integration_id, title, version, source_url, sha256, bytes,
      options, operations, excluded, refused, created_at)
    values (${id}, ${environmentId}, ${integrationId}, ${title}, ${version}, ${document.sourceUrl ?? null}, ${sha256},
      ${bytes}, ${JSON.stringify(document.options)}, ${operations.length}, ${document.excluded},
      ${JSON.stringify(document.refused)}, ${createdAt})`.execute(db);
  for (let start = 0; start < operations.length; start += ROWS_AT_ONCE) {
    const rows = operations.slice(start, start + ROWS_AT_ONCE).map(
      (row, index) => sql`(
      ${id}, ${row.name}, ${environmentId}, ${start + index}, ${row.operationId}, ${row.method}, ${row.path},
      ${JSON.stringify(row.tags)}, ${row.effect}, ${row.isEffectGiven}, ${row.title}, ${row.summary},
      ${row.signature}, ${row.bytes}, ${row.definition}, ${Buffer.from(row.digest)})`,
    );
    await sql`
      insert into agent_api_operations (document_id, name, environment_id, place, operation_id, method, path, tags,
        effect, is_effect_given, title, summary, signature, bytes, definition, digest)
      values ${sql.join(rows)}`.execute(db);
  }
}

/** Whether there was one. */
export async function deleteDocument(
  db: Db,
  environmentId: EnvironmentId,
  integrationId: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from agent_api_documents
     where environment_id = ${environmentId} and integration_id = ${integrationId}`.execute(db);
  return Number(numAffectedRows ?? 0n) > 0;
}

export async function findDocument(
  db: Db,
  environmentId: EnvironmentId,
  integrationId: number,
): Promise<StoredDocument | undefined> {
  const { rows } = await sql<StoredDocument>`
    select id, title, version, source_url as "sourceUrl", sha256, bytes, options, operations, excluded, refused,
           created_at as "createdAt"
      from agent_api_documents
     where environment_id = ${environmentId} and integration_id = ${integrationId}`.execute(
    db.withoutPlugins(),
  );
  return rows[0];
}

/** Until the end of the transaction: documents of an environment are counted and replaced one after the other. */
export async function lockDocuments(db: Db, environmentId: EnvironmentId): Promise<void> {
  const lock = `agent_api_documents ${environmentId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(db);
}

/** Of the other integrations of the environment. */
export async function countOperations(
  db: Db,
  environmentId: EnvironmentId,
  { otherThan }: { otherThan: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(operations), 0)::int as count from agent_api_documents
     where environment_id = ${environmentId} and integration_id <> ${otherThan}`.execute(db);
  return rows[0]?.count ?? 0;
}

const columns =
  sql.raw(`d.integration_id::int as "integrationId", o.name, o.operation_id as "operationId", o.method,
  o.path, o.tags, o.effect, o.is_effect_given as "isEffectGiven", o.title, o.summary, o.signature, o.bytes`);

/** In the order of their documents; of one integration, or of all. */
export async function listOperationRows(
  db: Db,
  environmentId: EnvironmentId,
  integrationId?: number,
): Promise<ListedOperation[]> {
  const only = integrationId === undefined ? sql`true` : sql`d.integration_id = ${integrationId}`;
  const { rows } = await sql<ListedOperation>`
    select ${columns} from agent_api_documents d join agent_api_operations o on o.document_id = d.id
     where d.environment_id = ${environmentId} and ${only}
     order by d.integration_id, o.place`.execute(db.withoutPlugins());
  return rows;
}

export interface CallableOperation extends StoredDefinition {
  readonly title: string;
  readonly effect: Effect;
  readonly isEffectGiven: boolean;
  readonly digest: Buffer;
}

export async function findOperation(
  db: Db,
  environmentId: EnvironmentId,
  { integrationId, name }: { integrationId: number; name: string },
): Promise<CallableOperation | undefined> {
  const { rows } = await sql<
    Omit<CallableOperation, keyof StoredDefinition> & { definition: StoredDefinition }
  >`
    select o.title, o.effect, o.is_effect_given as "isEffectGiven", o.digest, o.definition
      from agent_api_documents d join agent_api_operations o on o.document_id = d.id
     where d.environment_id = ${environmentId} and d.integration_id = ${integrationId}
       and o.name = ${name}`.execute(db.withoutPlugins());
  const [row] = rows;
  if (row === undefined) return undefined;
  const { definition, ...own } = row;
  return { ...definition, ...own };
}
