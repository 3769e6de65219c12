-- compatible since: 0001
-- So that the sending of a webhook is part of the trace in which it was queued; null while traces are off.
alter table webhook_deliveries add column traceparent text;
