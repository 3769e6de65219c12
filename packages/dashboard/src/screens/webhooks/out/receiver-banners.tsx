import { useQuery } from "@tanstack/react-query";
import type { Receiver } from "../../../data/environment/webhooks.ts";
import { openProblemsQuery } from "../../../data/observe/problems.ts";
import { formatMoment, formatNumber, plainText } from "../../../parts/formats.ts";
import { Go } from "../../../parts/go.tsx";
import { useEnvironment, useMay } from "../../../shell/use-environment.ts";
import type { Texts } from "../../../texts/english.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { pageOf } from "../../problems/problem-words.ts";

/** More would push the list out of sight; all have a badge below. */
const MOST_BANNERS = 3;

/** Addresses that receive nothing: since when, what they answer, what waits, and where help is. */
export function ReceiverBanners({ receivers }: { receivers: readonly Receiver[] }) {
  const broken = receivers.filter(({ state }) => state !== "ok");
  return broken
    .slice(0, MOST_BANNERS)
    .map((receiver) => <ReceiverBanner key={receiver.id} receiver={receiver} />);
}

function ReceiverBanner({ receiver }: { receiver: Receiver }) {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { data: problems = [] } = useQuery({
    ...openProblemsQuery(environment),
    enabled: useMay("environment:problems:read"),
  });
  const problem = problems.find(({ receiver_url: url }) => url === receiver.url);
  const isDisabled = receiver.state === "disabled";
  const url = plainText(receiver.url, 120);
  return (
    <section className={isDisabled ? "banner bad" : "banner warn"}>
      <div>
        <strong>{isDisabled ? texts.disabledTitle(url) : texts.failingTitle(url)}</strong>
        <p>{wordsOf(receiver, texts)}</p>
      </div>
      {problem !== undefined && (
        <Go className="button" target={pageOf(environment, problem)}>
          {texts.openProblem}
        </Go>
      )}
    </section>
  );
}

function wordsOf(receiver: Receiver, texts: Texts["webhooks"]): string {
  const { failing_since: since, last_failure: failure, held, next_attempt_at: nextAt } = receiver;
  const answer = failure?.status ?? failure?.error ?? null;
  return [
    since === null ? undefined : texts.failsSince(formatMoment(since)),
    answer === null ? undefined : texts.lastAnswer(plainText(String(answer), 200)),
    held === 0 ? undefined : texts.waiting(formatNumber(held)),
    nextAt === null ? undefined : texts.nextAttempt(formatMoment(nextAt)),
  ]
    .filter((part) => part !== undefined)
    .join(" ");
}
