import pg from "pg";

/** One in five is open, one in ten of these muted, one in a hundred of the rare kind. */
export async function fillProblems(connectionString: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(
    `insert into problems (environment_id, fingerprint, kind, integration, since, last_at, count, sample, cause,
       resolved_at, mute_until)
     select environment_id, 'f-' || n, case when n % 100 = 0 then 'sync_failing' else 'needs_reauthorization' end,
       'bench', t.at, t.at, 20, '["c-1", "c-2", "c-3"]'::jsonb, 'invalid_grant: the refresh token was revoked',
       case when n % 5 > 0 then now() end, case when n % 50 = 0 then now() + interval '1 day' end
       from integrations, generate_series(1, $1::int) n,
            lateral (select date_trunc('milliseconds', now() - n * interval '1 minute') as at) t
      where unique_key = 'bench'`,
    [count],
  );
  await client.query("vacuum analyze problems");
  await client.end();
}
