-- compatible since: 0001
-- From which commit and branch a deployment came, where its caller said so. The release before notes neither.
alter table deployments add column commit_id text, add column branch text;
