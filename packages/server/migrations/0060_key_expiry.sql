-- compatible since: 0001
-- Keys that end by themselves, and who made them: {"kind", "id", "name"}.
alter table api_keys add column expires_at timestamptz;
alter table api_keys add column created_by jsonb;
