import { useMe } from "../../data/me.ts";
import type { AuditEvent } from "../../data/people/audit.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatDay, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { Drawer } from "../../parts/panels/drawer.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { actorOf, environmentOf } from "./audit-columns.tsx";

/** One change: who made it, from where, on what, and which fields were sent. */
export function AuditDrawer({
  event,
  onClose,
  onStep,
}: {
  event: AuditEvent;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  const { audit: texts, tables } = useTexts();
  const { environments } = useMe();
  const { actor } = event;
  return (
    <Drawer title={plainText(event.action, 60)} onClose={onClose} onStep={onStep}>
      <div className="row padded">
        <Badge tone={event.outcome === "done" ? "good" : "bad"}>
          {texts.outcomes[event.outcome]}
        </Badge>
        {actor.id !== null && (
          <Go className="button small" target={{ to: ".", search: { actor: actor.id } }}>
            {texts.onlyActor}
          </Go>
        )}
        <Go className="button small" target={{ to: ".", search: { q: event.action } }}>
          {texts.onlyAction}
        </Go>
      </div>
      <Facts
        rows={[
          [texts.at, formatDay(event.at)],
          [texts.actor, `${actorOf(event, texts)} (${texts.kinds[actor.kind]})`],
          [texts.via, texts.vias[event.via]],
          [texts.environment, environmentOf(event, environments, texts)],
          ...Object.entries(event.target).map(
            ([name, value]) => [plainText(name, 60), plainText(value, 400)] as const,
          ),
          [texts.code, event.code],
          [texts.address, actor.address && plainText(actor.address)],
          [texts.userAgent, actor.user_agent && plainText(actor.user_agent, 300)],
          [texts.request, event.request_id && <code key="id">{plainText(event.request_id)}</code>],
          [texts.sealed, event.sealed ? tables.yes : texts.notSealed],
        ]}
      />
      <Fields event={event} />
    </Drawer>
  );
}

function Fields({ event }: { event: AuditEvent }) {
  const { audit: texts } = useTexts();
  const rows = Object.entries(event.fields);
  if (rows.length === 0) return null;
  const columns = [
    {
      header: texts.field,
      cell: ([name]: readonly [string, string]) => <code>{plainText(name, 100)}</code>,
    },
    {
      header: texts.value,
      cell: ([, value]: readonly [string, string]) => (
        <span className="mono">{plainText(value, 400)}</span>
      ),
    },
  ];
  return (
    <Card title={texts.fields}>
      <p className="soft padded">{texts.fieldsHelp}</p>
      <PlainTable label={texts.fields} columns={columns} rows={rows} keyOf={([name]) => name} />
    </Card>
  );
}
