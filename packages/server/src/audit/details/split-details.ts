import type { AuditDetails, AuditEvent } from "../event.ts";

/** Fields of a target, or of what was sent, that may name a person: also ids that backends choose, and names of keys. */
const personal = new Set(["connection_id", "display_name", "email", "end_user_id"]);

/** Routes whose `name` is a person's. */
const ofPeople = /User|Me$|Account$|Link$/;

/** An event without what can be erased, and that. */
export function splitDetails(event: AuditEvent): { kept: AuditEvent; details: AuditDetails } {
  const { name, address, user_agent } = event.actor;
  const [target, targetDetails] = split(event, event.target);
  const [fields, fieldDetails] = split(event, event.fields);
  const [before, beforeDetails] = split(event, event.before ?? {});
  return {
    kept: {
      ...event,
      actor: { ...event.actor, name: null, address: null, user_agent: null },
      target,
      fields,
      before: event.before && before,
    },
    details: {
      actor: { name, address, user_agent },
      subject: { target: targetDetails, fields: fieldDetails, before: beforeDetails },
    },
  };
}

type Texts = Readonly<Record<string, string>>;

function split({ action }: AuditEvent, texts: Texts): [Texts, Texts] {
  const isDetail = (name: string) =>
    personal.has(name) || (name === "name" && ofPeople.test(action));
  const entries = Object.entries(texts);
  return [
    Object.fromEntries(entries.filter(([name]) => !isDetail(name))),
    Object.fromEntries(entries.filter(([name]) => isDetail(name))),
  ];
}

/** The event as it was recorded; what was erased is missing. */
export function joinDetails(
  kept: AuditEvent,
  {
    actor,
    subject,
  }: { actor: AuditDetails["actor"] | null; subject: AuditDetails["subject"] | null },
): AuditEvent {
  return {
    ...kept,
    actor: { ...kept.actor, ...actor },
    target: { ...kept.target, ...subject?.target },
    fields: { ...kept.fields, ...subject?.fields },
    before: kept.before && { ...kept.before, ...subject?.before },
  };
}
