import { useQuery } from "@tanstack/react-query";
import { type Installation, installationQuery } from "../../data/observe/installation.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatDay, formatNumber, formatSpan, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { CodeButton, curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { SkeletonCard } from "../../parts/panels/skeleton.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { Time } from "../../parts/time.tsx";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { installationTexts } from "../../texts/screens/installation.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { Failures } from "./failures.tsx";
import { InstallationFacts } from "./installation-facts.tsx";
import { Partitions } from "./partitions.tsx";

/** How the installation does, for who operates it. */
export function InstallationScreen() {
  const texts = useTextsOf(installationTexts);
  const query = useQuery(installationQuery);
  const { data } = query;
  return (
    <>
      <ScreenHead
        title={texts.title}
        badge={
          data?.not_ready != null && (
            <Badge tone="bad">{`${texts.notReady}: ${plainText(data.not_ready)}`}</Badge>
          )
        }
      >
        <CodeButton
          examples={[curlOf("getInstallation", "account"), nodeOf("account", "installation.get()")]}
        />
      </ScreenHead>
      <div className="page-scroll">
        {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
        {query.isLoading && <SkeletonCard />}
        {data !== undefined && (
          <div className="stack measure">
            {data.quarantined_since !== null && (
              <p className="banner warn">{texts.quarantined(formatDay(data.quarantined_since))}</p>
            )}
            <Workers workers={data.workers} />
            <Queue queue={data.queue} />
            <InstallationFacts installation={data} />
            {/* A server of an earlier version, of several that are replaced one by one, sends neither. */}
            {data.partitions !== undefined && <Partitions partitions={data.partitions} />}
            {data.recent_failures !== undefined && <Failures failures={data.recent_failures} />}
          </div>
        )}
      </div>
    </>
  );
}

function Workers({ workers }: Pick<Installation, "workers">) {
  const texts = useTextsOf(installationTexts);
  type Worker = Installation["workers"][number];
  const columns = [
    { header: texts.process, cell: ({ process }: Worker) => plainText(process) },
    {
      header: texts.state,
      cell: ({ is_alive: isAlive }: Worker) => (
        <Badge tone={isAlive ? "good" : "bad"}>{isAlive ? texts.alive : texts.silent}</Badge>
      ),
    },
    { header: texts.seen, cell: ({ seen_at: at }: Worker) => <Time at={at} /> },
    {
      header: texts.slots,
      isNumber: true,
      cell: ({ sync_slots: slots }: Worker) => formatNumber(slots),
    },
    { header: texts.pools, isNumber: true, cell: ({ pools }: Worker) => formatNumber(pools) },
  ];
  return (
    <Card title={texts.workers}>
      {workers.length === 0 ? (
        <p className="padded">{texts.noWorkers}</p>
      ) : (
        <PlainTable
          label={texts.workers}
          columns={columns}
          rows={workers}
          keyOf={({ process }) => process}
        />
      )}
    </Card>
  );
}

const MILLISECONDS = 1000;

function Queue({ queue }: Pick<Installation, "queue">) {
  const texts = useTextsOf(installationTexts);
  type Waiting = Installation["queue"][number];
  const columns = [
    { header: texts.kind, cell: ({ kind }: Waiting) => <code>{plainText(kind)}</code> },
    { header: texts.depth, isNumber: true, cell: ({ depth }: Waiting) => formatNumber(depth) },
    {
      header: texts.oldest,
      isNumber: true,
      cell: ({ oldest_seconds: seconds }: Waiting) => formatSpan(seconds * MILLISECONDS),
    },
  ];
  return (
    <Card title={texts.queue}>
      {queue.length === 0 ? (
        <p className="soft padded">{texts.noQueue}</p>
      ) : (
        <PlainTable label={texts.queue} columns={columns} rows={queue} keyOf={({ kind }) => kind} />
      )}
    </Card>
  );
}
