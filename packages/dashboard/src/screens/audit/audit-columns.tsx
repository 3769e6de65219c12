import type { OwnEnvironment } from "../../data/me.ts";
import type { AuditEvent } from "../../data/people/audit.ts";
import { Badge } from "../../parts/badge.tsx";
import { plainText, shortenId } from "../../parts/formats.ts";
import type { Column } from "../../parts/table/column.ts";
import { Time } from "../../parts/time.tsx";
import type { Texts } from "../../texts/english.ts";

/** Who it was: a name, else the kind of who acts without one. */
export function actorOf({ actor }: AuditEvent, texts: Texts["audit"]): string {
  return actor.name === null ? texts.kinds[actor.kind] : plainText(actor.name, 80);
}

export function targetOf({ target }: AuditEvent): string {
  return Object.values(target)
    .map((value) => plainText(shortenId(value, 40)))
    .join(", ");
}

export function environmentOf(
  { environment_id: id }: AuditEvent,
  environments: readonly OwnEnvironment[],
  texts: Texts["audit"],
): string {
  if (id === null) return texts.account;
  return environments.find((own) => own.id === id)?.name ?? shortenId(id, 14);
}

export function auditColumns(
  texts: Texts["audit"],
  environments: readonly OwnEnvironment[],
): readonly Column<AuditEvent>[] {
  return [
    {
      id: "at",
      header: texts.at,
      width: "118px",
      cell: ({ at }) => <Time at={at} isShort />,
    },
    {
      id: "action",
      header: texts.action,
      width: "minmax(190px, 1.4fr)",
      cell: ({ action }) => <span className="mono">{plainText(action)}</span>,
    },
    {
      id: "actor",
      header: texts.actor,
      width: "minmax(120px, 1.2fr)",
      cell: (event) => actorOf(event, texts),
    },
    {
      id: "outcome",
      header: texts.outcome,
      width: "110px",
      cell: ({ outcome }) => (
        <Badge tone={outcome === "done" ? "good" : "bad"}>{texts.outcomes[outcome]}</Badge>
      ),
    },
    {
      id: "environment",
      header: texts.environment,
      width: "110px",
      cell: (event) => environmentOf(event, environments, texts),
    },
    {
      id: "target",
      header: texts.target,
      width: "minmax(130px, 1.6fr)",
      cell: (event) => targetOf(event),
    },
    {
      id: "via",
      header: texts.via,
      width: "90px",
      cell: ({ via }) => texts.vias[via],
    },
    {
      id: "address",
      header: texts.address,
      width: "118px",
      cell: ({ actor }) => plainText(actor.address ?? ""),
    },
  ];
}
