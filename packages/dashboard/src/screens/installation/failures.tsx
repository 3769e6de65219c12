import type { Installation } from "../../data/observe/installation.ts";
import { plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { Time } from "../../parts/time.tsx";
import { installationTexts } from "../../texts/screens/installation.ts";
import { useTextsOf } from "../../texts/use-texts.ts";

type Failure = Installation["recent_failures"][number];

/** The last requests that failed on the server's side. */
export function Failures({ failures }: { failures: readonly Failure[] }) {
  const texts = useTextsOf(installationTexts);
  const columns = [
    { header: texts.when, cell: ({ at }: Failure) => <Time at={at} /> },
    {
      header: texts.route,
      cell: ({ method, route }: Failure) => (
        <code>{`${plainText(method)} ${route === null ? texts.noRoute : plainText(route)}`}</code>
      ),
    },
    {
      header: texts.requestId,
      cell: ({ request_id: id }: Failure) => <code>{plainText(id)}</code>,
    },
  ];
  return (
    <Card title={texts.failures}>
      {failures.length === 0 ? (
        <p className="soft padded">{texts.noFailures}</p>
      ) : (
        <>
          <p className="soft padded">{texts.failuresNote}</p>
          <PlainTable
            label={texts.failures}
            columns={columns}
            rows={failures}
            keyOf={({ request_id: id }) => id}
          />
        </>
      )}
    </Card>
  );
}
