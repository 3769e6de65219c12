-- compatible since: 0001
-- Models of which earlier versions of records are kept, to be read as they were at a moment. The triggers that keep them
-- are made for the partition of an environment when it keeps the first: no other environment's writes meet them.
create table record_histories (
  environment_id uuid not null references environments (id) on delete cascade,
  -- Of every connection; stands for all its variants.
  model text not null,
  days integer not null check (days between 1 and 90),
  -- Moments before it cannot be read.
  since timestamptz not null,
  -- Versions are about to be removed, and the row with them.
  ended_at timestamptz,
  primary key (environment_id, model)
);

-- A record as it was until `replaced_at`. Sealed as it was in `records`, and for the same row of it.
create table record_versions (
  model_id bigint not null,
  sequence bigint not null,
  first_seen_at timestamptz not null,
  last_modified_at timestamptz not null,
  deleted_at timestamptz,
  pruned_at timestamptz,
  replaced_at timestamptz not null,
  record_id text collate "C" not null,
  payload bytea,
  document jsonb,
  primary key (model_id, sequence)
);
alter table record_versions alter column payload set storage external;
create index record_versions_record on record_versions (model_id, record_id);
create index record_versions_replaced on record_versions (model_id, replaced_at);

create function keep_record_version() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.sequence = old.sequence then
    -- Pruned: content that is to be gone is not kept elsewhere.
    delete from record_versions where model_id = old.model_id and record_id = old.record_id;
    return null;
  end if;
  insert into record_versions
    (model_id, sequence, first_seen_at, last_modified_at, deleted_at, pruned_at, replaced_at, record_id, payload, document)
  select old.model_id, old.sequence, old.first_seen_at, old.last_modified_at, old.deleted_at, old.pruned_at,
         case when tg_op = 'DELETE' then greatest(clock_timestamp(), m.last_modified_at) else new.last_modified_at end,
         old.record_id, old.payload, old.document
    from record_models m
    join record_histories h on h.environment_id = m.environment_id and h.model = split_part(m.model, '::', 1)
   where m.id = old.model_id and h.ended_at is null
  on conflict do nothing;
  return null;
end
$$;

-- For one environment, whose partition nobody writes to meanwhile.
create function add_record_history(number integer) returns void language plpgsql as $$
declare
  parent text := format('records_%s', number);
begin
  execute format('lock table %I in share row exclusive mode', parent);
  if exists (select from pg_trigger where tgrelid = parent::regclass and tgname = 'keep_changed_record') then
    return;
  end if;
  execute format('create trigger keep_changed_record after update on %I for each row
                    when (new.sequence <> old.sequence or (new.pruned_at is not null and old.pruned_at is null))
                    execute function keep_record_version()', parent);
  execute format('create trigger keep_removed_record after delete on %I for each row
                    execute function keep_record_version()', parent);
end
$$;

create function drop_record_history(number integer) returns void language plpgsql as $$
begin
  execute format('drop trigger if exists keep_changed_record on %I', format('records_%s', number));
  execute format('drop trigger if exists keep_removed_record on %I', format('records_%s', number));
end
$$;
