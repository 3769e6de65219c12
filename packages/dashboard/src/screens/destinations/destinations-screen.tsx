import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Destination, destinationsQuery } from "../../data/records/destinations.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { wholeRows } from "../../parts/list/rows.ts";
import { cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { destinationTexts } from "../../texts/screens/destinations.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { destinationColumns } from "./destination-columns.tsx";
import { DestinationDrawer } from "./destination-drawer.tsx";
import { NewDestinationButton } from "./new-destination.tsx";

/** The customer's own databases that get every change of records, and how far each is. */
export function DestinationsScreen() {
  const texts = useTextsOf(destinationTexts);
  const { name: environment } = useEnvironment();
  const query = useQuery(destinationsQuery(environment));
  return (
    <ListScreen
      id="destinations"
      title={texts.title}
      columns={useMemo(() => destinationColumns(texts), [texts])}
      list={wholeRows(query, query.data ?? [])}
      keyOf={keyOf}
      panel={({ row, ...open }) =>
        row !== undefined && <DestinationDrawer key={row.id} destination={row} {...open} />
      }
      narrowing={{}}
      examples={[
        curlOf("listRecordDestinations", environment),
        nodeOf(environment, "destinations.list()"),
        cliOf(`destinations list --environment ${quote(environment)}`),
      ]}
      actions={<NewDestinationButton />}
      empty={{
        title: texts.emptyTitle,
        text: texts.emptyText,
        code: [
          cliOf(
            `destinations create warehouse --table records --environment ${quote(environment)}`,
          ),
        ],
      }}
    />
  );
}

function keyOf({ id }: Destination): string {
  return id;
}
