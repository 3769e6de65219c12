import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callApi } from "../../../data/api.ts";
import { type DeliveryFilter, matchedDeliveriesQuery } from "../../../data/environment/webhooks.ts";
import { queryClient } from "../../../data/query-client.ts";
import { endOf, type Period, startOf } from "../../../data/ranges.ts";
import { formatNumber } from "../../../parts/formats.ts";
import { curlOf, nodeCall } from "../../../parts/panels/code-panel.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { ReplayButton, ReplayForm, type Which } from "../replay-dialog.tsx";
import { BEGINNING } from "../webhook-words.ts";

/** Sends webhooks of the list's time again, by its filters. */
export function ReplayRange({ filter, period }: { filter: ReplayFilter; period: Period }) {
  const { webhooks: texts } = useTexts();
  return (
    <ReplayButton label={texts.replayRange}>
      <Form text={texts.replayRangeText} filter={filter} timeOf={() => timeOf(period)} />
    </ReplayButton>
  );
}

/** Sends again what an address did not receive since a time. */
export function ReplaySince({ url, since }: { url: string; since: string }) {
  const { problems: texts, webhooks } = useTexts();
  return (
    <ReplayButton label={texts.replaySince}>
      <Form
        text={webhooks.replaySinceText}
        filter={{ url }}
        timeOf={() => ({ since, until: new Date().toISOString() })}
      />
    </ReplayButton>
  );
}

const WATCH_MS = 1000;

type ReplayFilter = Omit<DeliveryFilter, "state">;

interface Times {
  readonly since: string;
  readonly until: string;
}

function Form({
  text,
  filter,
  timeOf,
}: {
  text: string;
  filter: ReplayFilter;
  timeOf: () => Times;
}) {
  const { webhooks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const [which, setWhich] = useState<Which>("failed");
  const [{ since, until }] = useState(timeOf);
  const state = which === "any" ? undefined : which;
  const matched = useQuery(matchedDeliveriesQuery(environment, { ...filter, since, until, state }));
  const body = Object({ ...filter, since, until, state: which });
  const begin = useMutation({
    mutationFn: async () => {
      return (await callApi("replayWebhookDeliveries", { environment, body })).data;
    },
  });
  const id = begin.data?.id ?? "";
  const { data: replay = begin.data } = useQuery({
    queryKey: ["replay", environment, id],
    queryFn: async ({ signal }) => {
      const call = { environment, params: { id }, signal };
      const { data } = await callApi("getWebhookReplay", call);
      if (data.state === "done") {
        await queryClient.invalidateQueries({ queryKey: ["deliveries", environment] });
      }
      return data;
    },
    enabled: begin.isSuccess,
    refetchInterval: ({ state: { data } }) => data?.state !== "done" && WATCH_MS,
  });
  const words = replay?.state === "done" ? texts.replayDone : texts.replaying;
  return (
    <ReplayForm
      text={text}
      choices={texts.replayStates}
      which={which}
      onChoose={setWhich}
      matched={matched.data}
      error={matched.error ?? begin.error}
      progress={replay === undefined ? undefined : words(formatNumber(replay.replayed))}
      isPending={begin.isPending}
      beginText={texts.replayBegin}
      code={[
        curlOf("replayWebhookDeliveries", environment, { body }),
        nodeCall(environment, "webhookDeliveries.replayMany", body),
      ]}
      onBegin={() => begin.mutate()}
    />
  );
}

/** The time is fixed when the dialog opens, so that what was counted is what is sent. */
function timeOf(period: Period): Times {
  const now = Date.now();
  const until = endOf(period) ?? new Date(now).toISOString();
  return { since: startOf(period, now) ?? BEGINNING, until };
}
