-- compatible since: 0001
-- mode: concurrently
-- Turns are found in sync_turns, and open runs by what holds them.
drop index concurrently if exists syncs_due;
drop index concurrently if exists syncs_running;
