import { useQuery } from "@tanstack/react-query";
import { type Problem, type RecordModel, refusalsQuery } from "../../data/observe/problems.ts";
import { formatMoment, formatNumber, formatShare, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** What a run wanted to delete: how many of how many, and which, for the connections that the problem names. */
export function RefusalCard({ problem }: { problem: Problem }) {
  const { problems: texts, shell } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay("environment:records:read");
  const query = useQuery({ ...refusalsQuery(environment, problem), enabled: may });
  return (
    <Card title={texts.refusals}>
      <div className="stack padded">
        {!may && <p className="soft">{texts.noRecordIds}</p>}
        {may && query.isLoading && <p role="status">{shell.loading}</p>}
        {query.isError && <FaultBanner error={query.error} />}
        {query.data?.map((model) => (
          <Refusal key={model.connection_id} model={model} />
        ))}
      </div>
    </Card>
  );
}

function Refusal({
  model: { connection_id: id, live_count: live, refusal },
}: {
  model: RecordModel;
}) {
  const { problems: texts } = useTexts();
  if (refusal === null) return null;
  const { deletes, share, since, sample_ids: sample } = refusal;
  return (
    <section>
      <h3 className="mono">{plainText(id, 80)}</h3>
      <p>
        {texts.refusedShare(formatNumber(deletes), formatNumber(live), formatShare(share))}{" "}
        {since !== null && texts.refusedSince(formatMoment(since))}
      </p>
      {sample.length > 0 && (
        <>
          <p className="soft">{texts.refusedIds}</p>
          <ul className="chips" aria-label={texts.refusedIds}>
            {sample.map((record) => (
              <li key={record} className="mono">
                {plainText(record, 40)}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
