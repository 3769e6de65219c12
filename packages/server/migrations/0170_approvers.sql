-- compatible since: 0001
-- Who approves a call of an agent, and who has. The release before asks those who have the scope, also about calls that
-- an end user was to approve.
alter table agent_approvals add column approver text not null default 'operator'
  check (approver in ('operator', 'end_user', 'client'));
alter table agent_approvals add column decided_by text check (decided_by in ('operator', 'end_user', 'client'));

-- A browser whose user approves a call. No reference: an approval that expires makes room for another id.
alter table agent_authorizations add column approval_id uuid unique;
alter table agent_authorizations drop constraint agent_authorizations_purpose_check;
alter table agent_authorizations add constraint agent_authorizations_purpose_check
  check (purpose in ('client', 'connect', 'approve'));
