import type { Problem } from "../../data/observe/problems.ts";
import { plainText } from "../../parts/formats.ts";
import { Go, type Target } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ReconnectButton } from "../connections/connection-actions.tsx";
import { pageOf as connectionPageOf } from "../connections/connection-words.ts";
import { affectedOf } from "./problem-words.ts";

/** The newest connections that have the problem, and where all of them are. */
export function AffectedCard({ problem }: { problem: Problem }) {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { connections, integration, kind } = problem;
  if (integration === null || connections.count === 0) return null;
  return (
    <Card
      title={`${texts.who}: ${affectedOf(problem, texts)}`}
      actions={<Go target={allOf(environment, problem)}>{texts.showAll}</Go>}
    >
      <ul className="rows" aria-label={texts.sample}>
        {connections.sample.map((id) => (
          <li key={id}>
            <Go
              className="mono"
              target={connectionPageOf(environment, {
                provider_config_key: integration,
                connection_id: id,
              })}
            >
              {plainText(id, 80)}
            </Go>
            {kind === "needs_reauthorization" && (
              <ReconnectButton name={{ integration, id }} isPrimary={false} />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The list in which all that are affected stand. */
function allOf(environment: string, { kind, integration, function: name }: Problem): Target {
  const base = homeOf(environment);
  const own = integration ?? undefined;
  if (kind === "needs_reauthorization" || kind === "refresh_backoff") {
    const state = kind === "refresh_backoff" ? "backoff" : kind;
    return { to: `${base}/connections`, search: { state, integration: own } };
  }
  if (kind === "client_refused") return { to: `${base}/connections`, search: { integration: own } };
  const search = { integration: own, name: name ?? undefined };
  return {
    to: `${base}/syncs`,
    search: kind === "sync_failing" ? { ...search, state: "failing" } : search,
  };
}
