import { useMutation, useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../data/api.ts";
import { type OwnSession, ownSessionsQuery } from "../../data/people/people.ts";
import { queryClient } from "../../data/query-client.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatDay, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useTexts } from "../../texts/use-texts.ts";

/** Browsers in which the person is signed in; others than this one can be ended from here. */
export function SessionsCard() {
  const { people: texts, shell } = useTexts();
  const sessions = useQuery(ownSessionsQuery);
  const end = useMutation({
    mutationFn: async (id: string | undefined) =>
      id === undefined
        ? await callApi("endOtherSessions")
        : await callApi("endOwnSession", { params: { id } }),
    onSettled: async () =>
      await queryClient.invalidateQueries({ queryKey: ownSessionsQuery.queryKey }),
  });
  const failed = sessions.error ?? end.error;
  const others = sessions.data?.filter((session) => !session.is_current) ?? [];
  return (
    <Card
      title={texts.sessions}
      actions={
        <Button
          className="button small"
          isDisabled={others.length === 0}
          isPending={end.isPending}
          onPress={() => end.mutate(undefined)}
        >
          {texts.endOthers}
        </Button>
      }
    >
      {sessions.isLoading && <p role="status">{shell.loading}</p>}
      {failed !== null && <FaultBanner error={failed} onRetry={() => void sessions.refetch()} />}
      <ul className="rows">
        {sessions.data?.map((session) => (
          <Session key={session.id} session={session} onEnd={() => end.mutate(session.id)} />
        ))}
      </ul>
    </Card>
  );
}

function Session({ session, onEnd }: { session: OwnSession; onEnd: () => void }) {
  const { people: texts } = useTexts();
  const { user_agent: agent, address, via, created_at: at } = session;
  const name = agent === null ? texts.unknownBrowser : plainText(agent, 120);
  return (
    <li>
      <span>
        {name}
        <br />
        <span className="soft">
          {[address, texts.begun(texts.viaNames[via], formatDay(at))]
            .filter((part) => part !== null)
            .join(" · ")}
        </span>
      </span>
      {session.is_current ? (
        <Badge tone="good">{texts.thisSession}</Badge>
      ) : (
        <Button className="button small" onPress={onEnd}>
          {texts.end}
        </Button>
      )}
    </li>
  );
}
