-- compatible since: 0001
-- A session plans the statements of a trigger once. Where their table was empty or small at that time, the plan read all of
-- it for each row that a transaction adds: a schedule for each of 100,000 connections took longer than minutes.
alter function keep_sync_turn() set enable_seqscan = off;
alter function keep_refresh_lease() set enable_seqscan = off;
alter function keep_record_directory() set enable_seqscan = off;
