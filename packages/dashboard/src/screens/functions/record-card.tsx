import { useMutation, useQuery } from "@tanstack/react-query";
import { callApi } from "../../data/api.ts";
import { callOfFunction, type FunctionName } from "../../data/functions/functions.ts";
import { tapeRuleQuery } from "../../data/functions/tapes.ts";
import { queryClient } from "../../data/query-client.ts";
import { formatDay } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { Skeleton } from "../../parts/panels/skeleton.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";

type Change = { readonly sample?: number; readonly next_failure?: boolean } | undefined;

/** Which runs of a function are recorded, and buttons that change it. */
export function RecordCard({ name }: { name: FunctionName }) {
  const { functions: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay("environment:tapes:read");
  const query = tapeRuleQuery(environment, name);
  const { data: rule, isLoadingError, error, refetch } = useQuery({ ...query, enabled: may });
  const change = useMutation({
    mutationFn: async (wanted: Change) => {
      const call = { environment, ...callOfFunction(name) };
      if (wanted === undefined) await callApi("deleteTapeRule", call);
      else await callApi("setTapeRule", { ...call, body: Object(wanted) });
    },
    onSuccess: async () => await queryClient.invalidateQueries({ queryKey: query.queryKey }),
  });
  if (!may) return null;
  const button = (text: string, wanted: Change) => (
    <ScopedButton
      scope="environment:tapes:write"
      isPending={change.isPending}
      onPress={() => change.mutate(wanted)}
    >
      {text}
    </ScopedButton>
  );
  const show = (known: typeof rule | null) => {
    const what = [
      ...(known && known.sample > 0 ? [texts.recordingSample(known.sample * 100)] : []),
      ...(known?.next_failure === true ? [texts.recordingFailure] : []),
    ].join(", ");
    return (
      <div className="stack padded">
        <p>{known ? texts.recordingOn(what, formatDay(known.ends_at)) : texts.recordingNone}</p>
        <div className="row">
          {known ? (
            button(texts.recordNone, undefined)
          ) : (
            <>
              {button(texts.recordNext, { next_failure: true })}
              {button(texts.recordSome, { sample: 0.01 })}
            </>
          )}
        </div>
        {change.isError && <FaultBanner error={change.error} />}
      </div>
    );
  };
  return (
    <Card title={texts.recording}>
      {isLoadingError ? (
        <FaultBanner error={error} onRetry={() => void refetch()} />
      ) : rule === undefined ? (
        <div className="unread">
          <Skeleton rows={3} />
          {show(null)}
        </div>
      ) : (
        show(rule)
      )}
    </Card>
  );
}
