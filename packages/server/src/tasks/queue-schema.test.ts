import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestContext, type TestContext } from "#foundation/testing";

let app: TestContext;
beforeAll(async () => {
  app = await createTestContext();
});
afterAll(async () => await app[Symbol.asyncDispose]());

// The library keeps these tables to itself and may change them with any release; statements of ours read and write
// them. A release that changes what is listed here needs a look at every statement that names graphile_worker.
const used: Readonly<Record<string, string>> = {
  "_private_job_queues.id": "integer",
  "_private_job_queues.is_available": "boolean",
  "_private_job_queues.locked_at": "timestamp with time zone",
  "_private_job_queues.locked_by": "text",
  "_private_jobs.attempts": "smallint",
  "_private_jobs.id": "bigint",
  "_private_jobs.is_available": "boolean",
  "_private_jobs.job_queue_id": "integer",
  "_private_jobs.locked_at": "timestamp with time zone",
  "_private_jobs.locked_by": "text",
  "_private_jobs.max_attempts": "smallint",
  "_private_jobs.run_at": "timestamp with time zone",
  "_private_jobs.task_id": "integer",
  "_private_jobs.updated_at": "timestamp with time zone",
  "_private_tasks.id": "integer",
  "_private_tasks.identifier": "text",
  "jobs.attempts": "smallint",
  "jobs.id": "bigint",
  "jobs.key": "text",
  "jobs.locked_at": "timestamp with time zone",
  "jobs.locked_by": "text",
  "jobs.max_attempts": "smallint",
};

test("the queue library's tables have the columns that our statements use", async () => {
  const { rows } = await sql<{ name: string; type: string }>`
    select table_name || '.' || column_name as name, data_type as type
      from information_schema.columns where table_schema = 'graphile_worker'`.execute(app.ctx.db);

  const found = Object.fromEntries(rows.map(({ name, type }) => [name, type]));

  expect(found).toMatchObject(used);
});

test("its functions take what our statements pass", async () => {
  const { rows } = await sql<{ name: string; args: string }>`
    select p.proname as name, pg_get_function_identity_arguments(p.oid) as args
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = 'graphile_worker'
       and p.proname in ('add_job', 'add_jobs', 'force_unlock_workers')
     order by 1`.execute(app.ctx.db);
  const spec = await sql<{ name: string }>`
    select a.attname as name from pg_attribute a join pg_type t on t.typrelid = a.attrelid
      join pg_namespace n on n.oid = t.typnamespace
     where n.nspname = 'graphile_worker' and t.typname = 'job_spec'
     order by a.attnum`.execute(app.ctx.db);

  expect(rows).toEqual([
    {
      name: "add_job",
      args: "identifier text, payload json, queue_name text, run_at timestamp with time zone, max_attempts integer, job_key text, priority integer, flags text[], job_key_mode text",
    },
    { name: "add_jobs", args: "specs graphile_worker.job_spec[], job_key_preserve_run_at boolean" },
    { name: "force_unlock_workers", args: "worker_ids text[]" },
  ]);
  expect(spec.rows.map(({ name }) => name)).toEqual([
    "identifier",
    "payload",
    "queue_name",
    "run_at",
    "max_attempts",
    "job_key",
    "priority",
    "flags",
  ]);
});
