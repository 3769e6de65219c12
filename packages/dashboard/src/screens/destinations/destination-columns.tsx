import type { Destination } from "../../data/records/destinations.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { formatNumber, formatSpan, plainText } from "../../parts/formats.ts";
import type { Column } from "../../parts/table/column.ts";
import { Time } from "../../parts/time.tsx";
import type { destinationTexts } from "../../texts/screens/destinations.ts";

const tones: Readonly<Record<Destination["state"], Tone>> = {
  active: "good",
  failing: "bad",
  paused: "warn",
};

type Words = (typeof destinationTexts)["english"];

const MILLISECONDS = 1000;

export function DestinationBadge({
  destination: { state },
  texts,
}: {
  destination: Destination;
  texts: Words;
}) {
  return <Badge tone={tones[state]}>{texts.states[state]}</Badge>;
}

/** Schema and table, as SQL has them, or the folder of the bucket. */
export function tableOf(destination: Destination): string {
  if (destination.type === "s3") return destination.folder;
  return `${destination.schema}.${destination.table}`;
}

/** How far it is behind the changes that are known. */
export function lagText({ lag_seconds: seconds }: Destination, texts: Words): string {
  return seconds === 0 ? texts.upToDate : formatSpan(seconds * MILLISECONDS);
}

/** Which records it gets, in short. */
function filterText({ models, integrations }: Destination, texts: Words): string {
  const names = [...(models ?? []), ...(integrations ?? [])];
  return names.length === 0 ? texts.all : names.join(", ");
}

export function destinationColumns(texts: Words): readonly Column<Destination>[] {
  return [
    {
      id: "name",
      header: texts.name,
      width: "minmax(150px, 1.2fr)",
      cell: ({ name }) => plainText(name),
    },
    {
      id: "state",
      header: texts.state,
      width: "126px",
      cell: (destination) => <DestinationBadge destination={destination} texts={texts} />,
    },
    {
      id: "address",
      header: texts.address,
      width: "minmax(140px, 1.2fr)",
      cell: ({ address }) => <span className="mono">{plainText(address)}</span>,
    },
    {
      id: "table",
      header: texts.place,
      width: "minmax(170px, 1fr)",
      cell: (destination) => <span className="mono">{plainText(tableOf(destination))}</span>,
    },
    {
      id: "only",
      header: texts.only,
      width: "minmax(80px, 0.8fr)",
      cell: (destination) => plainText(filterText(destination, texts)),
    },
    {
      id: "delivered",
      header: texts.delivered,
      width: "90px",
      isNumber: true,
      cell: ({ delivered }) => formatNumber(delivered),
    },
    {
      id: "last",
      header: texts.lastDelivered,
      width: "148px",
      cell: ({ last_delivered_at: at }) =>
        at === null ? <span className="soft">{texts.never}</span> : <Time at={at} isShort />,
    },
    {
      id: "lag",
      header: texts.lag,
      width: "100px",
      isNumber: true,
      cell: (destination) => lagText(destination, texts),
    },
  ];
}
