import { useQuery } from "@tanstack/react-query";
import { callApi } from "../../data/api.ts";
import { type Canary, newestCanaryQuery } from "../../data/environment/deployments.ts";
import { queryClient } from "../../data/query-client.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { cliOf, curlOf, nodeCall, quote } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { type PlainColumn, PlainTable } from "../../parts/plain-table.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { deploymentListTexts } from "../../texts/environment/deployment-list.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { CanaryFacts } from "./canary-facts.tsx";
import { CanaryBadge, PastCanariesButton } from "./past-canaries.tsx";

const verdictTones: Readonly<Record<Canary["verdict"], Tone>> = {
  good: "good",
  unclear: "warn",
  worse: "bad",
};
const sides = ["canary", "outside", "before"] as const;

/** The newest canary, with both versions side by side; nothing where there was none. */
export function CanaryCard() {
  const texts = useTextsOf(deploymentListTexts);
  const { name: environment } = useEnvironment();
  const { data: canary } = useQuery(newestCanaryQuery(environment));
  if (!canary || isOld(canary)) return null;
  return (
    <Card
      title={texts.canary}
      actions={
        <span className="row">
          <PastCanariesButton />
          {canary.state === "running" && <CanaryButtons canary={canary} />}
        </span>
      }
    >
      <p className="padded row" role="status">
        <CanaryBadge state={canary.state} />
        <span>{plainText(canary.message, 1000)}</span>
      </p>
      <CanaryFacts canary={canary} />
      <PlainTable
        label={texts.canaryFunctions}
        columns={columnsOf(texts)}
        rows={canary.functions.flatMap(toRows)}
        keyOf={({ fn, side }) => `${fn.provider_config_key} ${fn.type} ${fn.name} ${side}`}
      />
    </Card>
  );
}

type ComparedFunction = Canary["functions"][number];

const SHOWN_MS = 7 * 24 * 60 * 60 * 1000;

/** Of the past: what ended long ago explains nothing of today. */
function isOld({ ended_at: at }: Canary): boolean {
  return at !== null && Date.parse(at) < Date.now() - SHOWN_MS;
}

/** A function, and one of the versions that have run. */
interface Row {
  readonly fn: ComparedFunction;
  readonly side: (typeof sides)[number];
}

function toRows(fn: ComparedFunction): Row[] {
  if (fn.change === "new") return [{ fn, side: "canary" }];
  const shown = sides.filter((side) => side !== "before" || fn.before.runs > 0);
  return shown.map((side) => ({ fn, side }));
}

function columnsOf(texts: (typeof deploymentListTexts)["english"]): readonly PlainColumn<Row>[] {
  const figure = (header: string, of: (side: ComparedFunction["canary"]) => number | null) => ({
    header,
    isNumber: true,
    cell: ({ fn, side }: Row) => {
      const value = of(fn[side]);
      return value === null ? "–" : formatNumber(value);
    },
  });
  return [
    {
      header: texts.canaryFunction,
      cell: ({ fn, side }) =>
        side === "canary" ? <Judged fn={fn} texts={texts} /> : plainText(nameOf(fn), 120),
    },
    {
      header: texts.canaryVersion,
      cell: ({ fn, side }) => (fn.change === "new" ? texts.canaryNew : texts.canarySides[side]),
    },
    figure(texts.canaryRuns, ({ runs }) => runs),
    figure(texts.canaryFailed, ({ failures }) => failures),
    figure(texts.canaryMedian, ({ duration_ms: { p50 } }) => p50),
    figure(texts.canaryTail, ({ duration_ms: { p95 } }) => p95),
    { header: texts.canaryRecords, isNumber: true, cell: (row) => recordsOf(row, texts) },
  ];
}

function nameOf({ provider_config_key: integration, name }: ComparedFunction): string {
  return `${integration}/${name}`;
}

function Judged({
  fn,
  texts,
}: {
  fn: ComparedFunction;
  texts: (typeof deploymentListTexts)["english"];
}) {
  return (
    <>
      <span className="row">
        {plainText(nameOf(fn), 120)}
        {fn.change === "updated" && (
          <Badge tone={verdictTones[fn.verdict]}>{texts.verdicts[fn.verdict]}</Badge>
        )}
      </span>
      {fn.findings.map((finding) => (
        <p key={finding} className="soft">
          {plainText(finding, 500)}
        </p>
      ))}
    </>
  );
}

function recordsOf({ fn, side }: Row, texts: (typeof deploymentListTexts)["english"]): string {
  const { synced_runs: runs, added, updated, deleted } = fn[side];
  if (runs === 0) return "–";
  return texts.changesOf(
    formatNumber(added.total),
    formatNumber(updated.total),
    formatNumber(deleted.total),
  );
}

function CanaryButtons({ canary: { id, chosen_connections: chosen } }: { canary: Canary }) {
  const texts = useTextsOf(deploymentListTexts);
  const { name: environment } = useEnvironment();
  const end = async (route: "promoteCanary" | "rollBackCanary") => {
    await callApi(route, { environment, params: { canaryId: id } });
    for (const key of ["canary", "deployments", "functions", "function", "function-list"]) {
      await queryClient.invalidateQueries({ queryKey: [key, environment] });
    }
  };
  return (
    <>
      <ConfirmButton
        label={texts.promote}
        look="primary"
        title={texts.promoteTitle}
        scope="environment:deploy"
        text={texts.promoteText(formatNumber(chosen))}
        confirm={texts.promoteIn(environment)}
        code={[
          curlOf("promoteCanary", environment, { params: { canaryId: id } }),
          nodeCall(environment, "canaries.promote", id),
          cliOf(`canary promote ${quote(id)} --environment ${quote(environment)}`),
        ]}
        onConfirm={async () => await end("promoteCanary")}
      />
      <ConfirmButton
        label={texts.endCanary}
        title={texts.endCanaryTitle}
        scope="environment:deploy"
        text={texts.endCanaryText}
        confirm={texts.endCanaryIn(environment)}
        code={[
          curlOf("rollBackCanary", environment, { params: { canaryId: id } }),
          nodeCall(environment, "canaries.rollBack", id),
          cliOf(`canary rollback ${quote(id)} --environment ${quote(environment)}`),
        ]}
        onConfirm={async () => await end("rollBackCanary")}
      />
    </>
  );
}
