-- compatible since: 0001
-- Whether problems that open or end are sent to the environment's endpoints: off, so that endpoints of before meet no
-- type that they do not know.
alter table webhook_settings add column on_problem boolean not null default false;
