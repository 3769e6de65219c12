import { useQuery } from "@tanstack/react-query";
import { type Receiver, receiverQuery } from "../../data/environment/webhooks.ts";
import type { Problem } from "../../data/observe/problems.ts";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Time } from "../../parts/time.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { deliveryPage } from "../webhooks/webhook-words.ts";

/** What an address answered last, what waits for it, and when it is tried again. */
export function ReceiverCard({ problem, url }: { problem: Problem; url: string }) {
  const { problems: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const {
    data: receiver,
    isLoadingError,
    error,
    refetch,
  } = useQuery(receiverQuery(environment, url));
  if (isLoadingError) return <FaultBanner error={error} onRetry={() => void refetch()} />;
  if (receiver === undefined || receiver === null || problem.state === "resolved") return null;
  const { last_failure: failure, next_attempt_at: nextAt, failing_since: since } = receiver;
  return (
    <Card title={texts.receiverCard}>
      <Facts
        rows={[
          [texts.firstFailure, since && <Time at={since} />],
          [
            texts.lastFailure,
            failure && (
              <Go target={deliveryPage(environment, failure.delivery_id)}>
                <Time at={failure.at} />
              </Go>
            ),
          ],
          [texts.answered, failure && answerOf(failure, texts)],
          [texts.waits, texts.waiting(formatNumber(receiver.held))],
          [texts.nextAttempt, nextAt && <Time at={nextAt} />],
        ]}
      />
      {failure !== null && failure.status !== null && <Body answer={failure.answer} />}
      <p className="soft padded">{texts.schedule}</p>
    </Card>
  );
}

function answerOf(
  { status, error }: NonNullable<Receiver["last_failure"]>,
  texts: Texts["problems"],
): string {
  if (status !== null) return texts.status(String(status));
  return texts.noAnswerFor(plainText(error ?? "", 400));
}

function Body({ answer }: { answer: string | null }) {
  const { problems: texts } = useTexts();
  if (answer === null || answer === "") return <p className="soft padded">{texts.emptyBody}</p>;
  return (
    <>
      <h3 className="padded">{texts.answerBody}</h3>
      <pre className="code">{plainText(answer, 1024)}</pre>
    </>
  );
}
