-- compatible since: 0001
-- The app that the connect page names, apart from the other settings: a release that does not know it reads those.
alter table environment_settings add column connect_app jsonb;
