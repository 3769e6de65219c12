-- compatible since: 0001
-- The timeline that the primary writes, and a mark that is made again whenever that has changed. Replicas get it with all else: one
-- that has not got the primary's mark replays a timeline that the primary has left. Written only where replicas are read.
create table primary_timelines (
  only_one boolean primary key default true check (only_one),
  timeline bigint not null,
  mark uuid not null
);
