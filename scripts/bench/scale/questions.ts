import type { Question } from "../lists/lists.ts";

const deliveries = "/webhooks/deliveries?limit=100";
const inbox = "/webhooks/inbox?limit=100";
const sessions = "/agent/sessions?limit=100";
const calls = "/agent/calls?limit=100";
const audit = "/audit?limit=100";

function withFilters(
  name: string,
  path: string,
  filters: Readonly<Record<string, string>>,
): readonly Question[] {
  const filtered = Object.entries(filters).map(([of, query]) => ({
    ...{ name: `${name} ${of}`, path: `${path}&${query}`, plain: path },
  }));
  return [{ name, path }, ...filtered];
}

/** Lists of what only a large installation is filled with. */
export const activityQuestions: readonly Question[] = [
  ...withFilters("deliveries", deliveries, {
    "that failed": "state=failed",
    "of a type": "type=auth",
    "of a connection": "connection_id=c-77",
    "of an integration": "provider_config_key=rare",
  }),
  { name: "receivers", path: "/webhooks/receivers?limit=100" },
  ...withFilters("inbox", inbox, {
    "that failed": "state=failed",
    "of an integration": "provider_config_key=rare",
    "of a type": "type=contact.deleted",
  }),
  ...withFilters("agent sessions", sessions, {
    "that are open": "state=open",
    "of an end user": "end_user_id=u77",
    "of a toolset": "toolset=bench",
  }),
  ...withFilters("agent calls", calls, { "of an end user": "end_user_id=u77" }),
];

/** Asked with a key of the account. */
export const accountQuestions: readonly Question[] = withFilters("audit", audit, {
  "of an action": "action=deleteIntegration",
  "that were refused": "outcome=refused",
  "of a person": "actor=user-7",
  "of a target": "target=c-777",
});
