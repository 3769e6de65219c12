-- compatible since: 0001
-- Destinations can be folders of buckets, too. A bucket has no transactions: how far it is filled is stored here, and
-- before objects are written, where their changes end, so that who tries again writes the same objects.
alter table record_destinations
  drop constraint record_destinations_type_check,
  add constraint record_destinations_type_check check (type in ('postgres', 's3')),
  alter column schema_name drop not null,
  alter column table_name drop not null,
  -- Of a bucket: endpoint, region, bucket, prefix, format and interval. No secrets.
  add column bucket jsonb,
  -- Of the feed: everything up to there is in the bucket. Null before the first change of a generation.
  add column reached_cursor text,
  -- The end of what is being written behind it.
  add column planned_cursor text,
  add constraint record_destinations_place_check check (
    case type when 's3' then bucket is not null else schema_name is not null and table_name is not null end);
