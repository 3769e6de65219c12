import { useMutation, useQuery } from "@tanstack/react-query";
import { downloadAnswer } from "../../../data/download.ts";
import { tapeQuery } from "../../../data/functions/tapes.ts";
import type { Operation } from "../../../data/operations.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { cliOf, quote } from "../../../parts/panels/code-panel.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../../parts/scoped-button.tsx";
import { useEnvironment, useMay } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";

/** The tape of a run that was recorded, and how it is replayed; nothing for any other operation. */
export function OperationTape({ operation }: { operation: Operation }) {
  const { operations: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const may = useMay("environment:tapes:read");
  const isRun = operation.function !== null;
  const { id } = operation;
  const query = useQuery({ ...tapeQuery(environment, id), enabled: may && isRun });
  const { data: tape, isLoadingError, error, refetch } = query;
  const download = useMutation({
    mutationFn: async () =>
      await downloadAnswer(
        "getTape",
        { environment, params: { operationId: id } },
        { fileName: `${id}.tape.json` },
      ),
  });
  if (isLoadingError) return <FaultBanner error={error} onRetry={() => void refetch()} />;
  if (tape === undefined || tape === null) return null;
  const replay = `replay ${quote(id)} --environment ${quote(environment)}`;
  return (
    <Card title={texts.tape}>
      <div className="stack padded">
        <p>{texts.tapeText(tape.calls)}</p>
        <Command label={texts.tapeReplay} text={cliOf(replay).text} />
        <p>{texts.tapeTest}</p>
        <Command label={texts.tapeTestCommand} text={cliOf(`${replay} --save-test`).text} />
        {tape.is_cut && <p className="soft">{texts.tapeCut}</p>}
        <ScopedButton
          scope="environment:tapes:read"
          isPending={download.isPending}
          onPress={() => download.mutate()}
        >
          {texts.tapeDownload}
        </ScopedButton>
        {download.isError && <FaultBanner error={download.error} />}
      </div>
    </Card>
  );
}

function Command({ label, text }: { label: string; text: string }) {
  return (
    <section aria-label={label}>
      <pre className="code">{text}</pre>
      <CopyButton text={() => text} />
    </section>
  );
}
