import { formatNumber } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { curlOf } from "../../parts/panels/code-panel.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { startTexts } from "../../texts/screens/start.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { RunSquares } from "../syncs/run-squares.tsx";
import { Step } from "./step.tsx";
import { INTEGRATION, type Progress } from "./use-progress.ts";

/** The first run of the sync, and what it saved. */
export function RunStep({ hasFunction, sync, model }: Progress) {
  const texts = useTextsOf(startTexts);
  const { syncs: words } = useTexts();
  const { name: environment } = useEnvironment();
  const isDone = sync?.last_success_at !== null && sync !== undefined && model !== undefined;
  const place = [INTEGRATION, model?.connection_id ?? "", model?.model ?? ""];
  const records = [environment, "records", ...place].map(encodeURIComponent).join("/");
  const call = {
    query: { model: model?.model ?? "Contact" },
    headers: {
      "provider-config-key": INTEGRATION,
      "connection-id": model?.connection_id ?? "<connection>",
    },
  };
  return (
    <Step
      number="4"
      title={texts.run}
      text={texts.runText}
      isDone={isDone}
      isNext={hasFunction && !isDone}
      examples={[curlOf("listRecords", environment, call)]}
    >
      <div role="status" className="row">
        {sync !== undefined && (
          <>
            <span>{words.states[sync.state]}</span>
            <RunSquares sync={sync} />
          </>
        )}
        {model !== undefined && (
          <Go target={{ to: `/${records}` }}>{texts.records(formatNumber(model.live_count))}</Go>
        )}
      </div>
    </Step>
  );
}
