-- compatible since: 0001
-- Until when a run waits for its provider's rate limit, as far as it is known; may be in the past.
alter table runs add column quota_until timestamptz;
