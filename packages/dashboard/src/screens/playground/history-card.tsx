import { Button } from "react-aria-components/Button";
import { Badge } from "../../parts/badge.tsx";
import { plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { Time } from "../../parts/time.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { playgroundTexts } from "../../texts/screens/functions/playground.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { useTried } from "./run-history.ts";

/** What was tried before, to be taken again. */
export function HistoryCard() {
  const texts = useTextsOf(playgroundTexts);
  const { name: environment } = useEnvironment();
  const { change } = useAddress();
  const tried = useTried().filter((entry) => entry.environment === environment);
  if (tried.length === 0) return null;
  return (
    <Card title={texts.history} actions={<span className="soft">{texts.historyText}</span>}>
      <ol className="rows">
        {tried.map((entry) => (
          <li key={entry.id}>
            <Badge tone={entry.isGood ? "good" : "bad"}>{texts.kinds[entry.kind]}</Badge>
            <span className="mono">{plainText(entry.title, 80)}</span>
            <span className="mono soft">{plainText(entry.connection, 40)}</span>
            <Time at={entry.at} />
            <Button
              className="button small"
              onPress={() => change({ take: String(entry.id) }, { replace: true })}
            >
              {texts.again}
            </Button>
          </li>
        ))}
      </ol>
    </Card>
  );
}
