import pg from "pg";
import { expect, test } from "vitest";
import { slices } from "../../packages/server/src/app.ts";
import { createTestDatabase } from "../../packages/server/src/foundation/testing/index.ts";
import { allOf } from "../../packages/server/src/slice/index.ts";

/** Binary columns that hold no sealed text. */
const notSealed = [
  // Keyed hashes and checksums.
  "api_keys.lookup_hash",
  "audit_details.salt",
  "audit_events.actor_digest",
  "audit_events.mac",
  "audit_events.subject_digest",
  "audit_head.mac",
  "audit_seals.digest",
  "audit_seals.seal",
  "authorization_flows.state_hash",
  "connect_sessions.token_hash",
  "canary_functions.base_sha256",
  "canary_functions.bundle_sha256",
  "function_bundles.sha256",
  "function_versions.bundle_sha256",
  "functions.bundle_sha256",
  "connections.held_token_hash",
  "connections.end_user_hash",
  "erasures.subject_hash",
  "agent_api_documents.sha256",
  "agent_api_operations.digest",
  "agent_approvals.call_digest",
  "agent_approvals.change_digest",
  "agent_script_calls.digest",
  "agent_scripts.digest",
  "agent_calls.input_digest",
  "agent_calls.output_digest",
  "agent_authorizations.ticket_hash",
  "agent_sessions.token_hash",
  "connect_links.code_hash",
  "connect_links.token_hash",
  "inbound_events.hash",
  "one_time_links.token_hash",
  "records.hash",
  "recovery_codes.code_hash",
  "sign_in_failures.subject",
  "staged_bundles.sha256",
  "staged_functions.bundle_sha256",
  "used_challenges.challenge_hash",
  "user_sessions.token_hash",
  "webhook_replays.hash",
  // Of people's devices; what signs stays there.
  "passkeys.public_key",
  // Made with the caller's API key, which is not stored: no key of the vault opens them.
  "kept_answers.answer",
  "kept_answers.key_hash",
  "kept_answers.request_hash",
  // Of the published page, and what shows that a server of the installation has stored them.
  "dashboard_files.content",
  "dashboard_files.mac",
  // The keys themselves.
  "wrapped_data_keys.wrapped",
];

test("the vault knows every binary column, or it is known to hold no sealed text", async () => {
  await using database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(`
    select c.relname || '.' || a.attname as name
      from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and a.atttypid = 'bytea'::regtype`);
  await client.end();

  const known = [
    ...notSealed,
    ...allOf(slices, "sealedColumns").map(({ table, column }) => `${table}.${column}`),
  ];
  expect(rows.map(({ name }) => name).toSorted()).toEqual(known.toSorted());
});
