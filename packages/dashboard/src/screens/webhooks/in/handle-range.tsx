import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type AnswerOf, callApi } from "../../../data/api.ts";
import { matchedInboxQuery } from "../../../data/environment/webhooks.ts";
import { queryClient } from "../../../data/query-client.ts";
import { endOf, type Period, startOf } from "../../../data/ranges.ts";
import { formatNumber } from "../../../parts/formats.ts";
import { curlOf, nodeCall } from "../../../parts/panels/code-panel.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { ReplayButton, ReplayForm, type Which } from "../replay-dialog.tsx";
import { BEGINNING } from "../webhook-words.ts";

/** Handles webhooks of the list's time again. */
export function HandleRange(props: Narrowed & { period: Period }) {
  const { webhooks: texts } = useTexts();
  return (
    <ReplayButton label={texts.handleRange}>
      <Form {...props} />
    </ReplayButton>
  );
}

interface Narrowed {
  readonly integration: string | undefined;
  /** Of that integration. */
  readonly connection: string | undefined;
}

function Form({ integration, connection, period }: Narrowed & { period: Period }) {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const [which, setWhich] = useState<Which>(connection === undefined ? "failed" : "any");
  const [now] = useState(Date.now);
  const [done, setDone] = useState<number>();
  const to = endOf(period) ?? new Date(now).toISOString();
  const time = { from: startOf(period, now) ?? BEGINNING, to };
  const filter = { provider_config_key: integration, connection_id: connection, ...time };
  const matched = useQuery(
    matchedInboxQuery(environment, { ...filter, state: which === "any" ? undefined : which }),
  );
  const begin = useMutation({
    mutationFn: async () => {
      let count = 0;
      // One call takes a part of the time; it answers where the next part begins.
      for (let from: string | null = time.from; from !== null; ) {
        const body: unknown = { ...filter, from, state: which };
        const { data }: AnswerOf<"replayInboundWebhooks"> = await callApi("replayInboundWebhooks", {
          environment,
          body: Object(body),
        });
        count += data.replayed;
        setDone(count);
        from = data.next_from;
      }
    },
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey: ["inbox", environment] });
    },
  });
  const words = begin.isSuccess ? texts.replayDone : texts.replaying;
  return (
    <ReplayForm
      text={texts.handleRangeText}
      choices={connection === undefined ? texts.handleStates : { any: texts.handleStates.any }}
      which={which}
      onChoose={setWhich}
      matched={matched.data}
      error={matched.error ?? begin.error}
      progress={done === undefined ? undefined : words(formatNumber(done))}
      isPending={begin.isPending}
      beginText={texts.handleBegin}
      code={[
        curlOf("replayInboundWebhooks", environment, { body: Object({ ...filter, state: which }) }),
        nodeCall(environment, "inbox.replayMany", { ...filter, state: which }),
      ]}
      onBegin={() => begin.mutate()}
    />
  );
}
