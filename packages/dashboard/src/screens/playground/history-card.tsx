import { useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { earlierRunsQuery } from "../../data/functions/own-runs.ts";
import { useMe } from "../../data/me.ts";
import { Badge } from "../../parts/badge.tsx";
import { plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Time } from "../../parts/time.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { playgroundTexts } from "../../texts/screens/functions/playground.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { againOf } from "../operations/operation-again.tsx";
import { nameOf, pageOf, toneOf } from "../operations/operation-words.ts";
import { askAgain, type Tried, useTried, visitBeganAt } from "./run-history.ts";

/** What was tried before, to be run again. */
export function HistoryCard() {
  const mayRead = useMay("environment:logs:read");
  return (
    <>
      <VisitCard />
      {mayRead && <EarlierCard />}
    </>
  );
}

function VisitCard() {
  const texts = useTextsOf(playgroundTexts);
  const { name: environment } = useEnvironment();
  const { change } = useAddress();
  const tried = useTried().filter((entry) => entry.environment === environment);
  if (tried.length === 0) return null;
  const take = ({ id, called, connection }: Tried) => {
    askAgain(id);
    const none = { tab: undefined, type: undefined, function: undefined, variant: undefined };
    change({ ...none, ...called, connection, take: String(id) }, { replace: true });
  };
  return (
    <Card title={texts.history} actions={<span className="soft">{texts.historyText}</span>}>
      <ol className="rows">
        {tried.map((entry) => (
          <li key={entry.id}>
            <Badge tone={entry.isGood ? "good" : "bad"}>{texts.kinds[entry.kind]}</Badge>
            <span className="mono">{plainText(entry.title, 80)}</span>
            <span className="mono soft">{plainText(entry.connection, 40)}</span>
            <Time at={entry.at} />
            <Button className="button small" onPress={() => take(entry)}>
              {entry.kind === "dry" ? texts.again : texts.fillIn}
            </Button>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** Runs and requests of this person before this visit. */
function EarlierCard() {
  const texts = useTextsOf(playgroundTexts);
  const { operations } = useTexts();
  const { name: environment } = useEnvironment();
  const { user } = useMe();
  const query = useQuery(earlierRunsQuery(environment, user.id, visitBeganAt));
  if (query.isError) {
    return <FaultBanner error={query.error} onRetry={() => void query.refetch()} />;
  }
  const runs = query.data ?? [];
  if (runs.length === 0) return null;
  return (
    <Card title={texts.earlier} actions={<span className="soft">{texts.earlierText}</span>}>
      <ol className="rows">
        {runs.map((run) => {
          const target = againOf(environment, run);
          return (
            <li key={run.id}>
              <Badge tone={toneOf(run.state)}>{operations.states[run.state]}</Badge>
              <Go className="mono" target={pageOf(environment, run.id)}>
                {plainText(run.function === null ? run.message : nameOf(run), 80)}
              </Go>
              <span className="mono soft">{plainText(run.connection?.name ?? "", 40)}</span>
              <Time at={run.created_at} />
              {target !== undefined && (
                <Go className="button small" target={target}>
                  {texts.fillIn}
                </Go>
              )}
            </li>
          );
        })}
      </ol>
    </Card>
  );
}
