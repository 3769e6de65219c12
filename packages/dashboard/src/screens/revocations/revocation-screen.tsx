import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Revocation, revocationQuery } from "../../data/environment/revocations.ts";
import { Badge } from "../../parts/badge.tsx";
import { DetailScreen } from "../../parts/detail-screen.tsx";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { Time } from "../../parts/time.tsx";
import { usePathValues } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { revocationTexts } from "../../texts/screens/revocations.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { RevocationActions } from "./revocation-actions.tsx";
import { matchOf, revocationsPath, revocationTones } from "./revocation-words.ts";
import { RevokedConnections } from "./revoked-connections.tsx";
import { AgentSessionLink, ApiKeyLink } from "./users-of-connections.tsx";

/** One revocation or rehearsal: how far it is, what can be done next, and each connection. */
export function RevocationScreen() {
  const texts = useTextsOf(revocationTexts);
  const { name: environment } = useEnvironment();
  const { revocationId: id = "" } = usePathValues();
  return (
    <DetailScreen
      query={useQuery(revocationQuery(environment, id))}
      title={(revocation) => revocation && texts.panelTitle(revocation.rehearsal)}
      goneTitle={texts.goneTitle}
      parent={{ text: texts.title, target: { to: revocationsPath(environment) } }}
      badge={({ state }) => <Badge tone={revocationTones[state]}>{texts.states[state]}</Badge>}
      examples={[
        curlOf("getRevocation", environment, { params: { revocationId: id } }),
        nodeOf(environment, `revocations.get(${JSON.stringify(id)})`),
        cliOf(`revoke report ${quote(id)} --environment ${quote(environment)}`),
      ]}
    >
      {(revocation) => (
        <div className="stack">
          <RevocationActions revocation={revocation} />
          <div className="columns">
            <RevokedConnections revocation={revocation} />
            <div className="stack">
              <About revocation={revocation} />
              <Touched revocation={revocation} />
            </div>
          </div>
        </div>
      )}
    </DetailScreen>
  );
}

function About({ revocation }: { revocation: Revocation }) {
  const texts = useTextsOf(revocationTexts);
  const { counts, reason, created_at, frozen_at, ended_at, rehearsal } = revocation;
  const states = Object.entries(counts).filter(([, count]) => count > 0);
  const nameOf = (state: string): string => {
    if (rehearsal && state === "withdrawn") return capitalize(texts.wouldBe);
    const found = Object.entries(texts.itemStates).find(([name]) => name === state);
    return capitalize(found?.[1] ?? state);
  };
  return (
    <Card title={texts.about}>
      <Facts
        rows={[
          [texts.match, matchOf(revocation, texts)],
          [texts.reason, plainText(reason ?? "", 500)],
          [texts.matched, formatNumber(revocation.matched)],
          ...states.map(([state, count]) => [nameOf(state), formatNumber(count)] as const),
          [texts.begun, <Time key="begun" at={created_at} />],
          [texts.frozen, !rehearsal && frozen_at !== null && <Time at={frozen_at} />],
          [texts.ended, ended_at !== null && <Time at={ended_at} />],
        ]}
      />
    </Card>
  );
}

function capitalize(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function Touched({ revocation: { touched } }: { revocation: Revocation }) {
  const texts = useTextsOf(revocationTexts);
  if (touched === null) return null;
  const ended = touched.agent_sessions_ended + touched.connect_sessions_ended;
  const { keys, agent_sessions: sessions } = touched;
  return (
    <Card title={texts.touched}>
      <Facts
        rows={[
          [texts.keys, <Touchers key="keys" ids={keys} Link={ApiKeyLink} />],
          [texts.agents, <Touchers key="agents" ids={sessions} Link={AgentSessionLink} />],
          [texts.sessionsEnded, formatNumber(ended)],
        ]}
      />
    </Card>
  );
}

/** So many are named; each session is read for it. */
const MOST_NAMED = 20;

function Touchers({
  ids,
  Link,
}: {
  ids: readonly { readonly id: string }[];
  Link: (props: { id: string }) => ReactNode;
}) {
  const texts = useTextsOf(revocationTexts);
  if (ids.length === 0) return texts.none;
  const rest = ids.length - MOST_NAMED;
  return (
    <ul className="plain-list">
      {ids.slice(0, MOST_NAMED).map(({ id }) => (
        <li key={id}>
          <Link id={id} />
        </li>
      ))}
      {rest > 0 && <li>{texts.more(formatNumber(rest))}</li>}
    </ul>
  );
}
