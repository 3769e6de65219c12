import { useMutation, useQuery } from "@tanstack/react-query";
import { callApi } from "../../data/api.ts";
import { callOfFunction, type FunctionName } from "../../data/functions/functions.ts";
import { tapeRuleQuery } from "../../data/functions/tapes.ts";
import { queryClient } from "../../data/query-client.ts";
import { formatDay } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
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
  const { data: rule } = useQuery({ ...query, enabled: may });
  const change = useMutation({
    mutationFn: async (wanted: Change) => {
      const call = { environment, ...callOfFunction(name) };
      if (wanted === undefined) await callApi("deleteTapeRule", call);
      else await callApi("setTapeRule", { ...call, body: Object(wanted) });
    },
    onSuccess: async () => await queryClient.invalidateQueries({ queryKey: query.queryKey }),
  });
  if (!may || rule === undefined) return null;
  const button = (text: string, wanted: Change) => (
    <ScopedButton
      scope="environment:tapes:write"
      isPending={change.isPending}
      onPress={() => change.mutate(wanted)}
    >
      {text}
    </ScopedButton>
  );
  const what = [
    ...(rule !== null && rule.sample > 0 ? [texts.recordingSample(rule.sample * 100)] : []),
    ...(rule?.next_failure === true ? [texts.recordingFailure] : []),
  ].join(", ");
  return (
    <Card title={texts.recording}>
      <div className="stack padded">
        <p>
          {rule === null ? texts.recordingNone : texts.recordingOn(what, formatDay(rule.ends_at))}
        </p>
        <div className="row">
          {rule === null ? (
            <>
              {button(texts.recordNext, { next_failure: true })}
              {button(texts.recordSome, { sample: 0.01 })}
            </>
          ) : (
            button(texts.recordNone, undefined)
          )}
        </div>
        {change.isError && <FaultBanner error={change.error} />}
      </div>
    </Card>
  );
}
