import type { UseQueryResult } from "@tanstack/react-query";
import type { ToolsetPreview } from "../../../data/agents/toolsets.ts";
import { ApiError } from "../../../data/api.ts";
import { Badge } from "../../../parts/badge.tsx";
import { formatNumber, plainText } from "../../../parts/formats.ts";
import { Card } from "../../../parts/panels/card.tsx";
import { Empty } from "../../../parts/panels/empty.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { toolsetTexts } from "../../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import { PreviewCost } from "../preview-cost.tsx";
import { verdictTones } from "../toolset-words.ts";

const MOST_SHOWN = 50;

/** What an agent gets of what the form holds. */
export function PreviewCard({
  preview,
  data,
  isCurrent,
}: {
  preview: UseQueryResult<ToolsetPreview>;
  data: ToolsetPreview | undefined;
  /** Whether it is about what was typed last. */
  isCurrent: boolean;
}) {
  const texts = useTextsOf(toolsetTexts);
  const { error, isError, isFetching } = preview;
  const isInvalid = error instanceof ApiError && error.status === 400;
  return (
    <Card title={texts.preview}>
      {isInvalid && <p className="padded fault">{texts.previewInvalid}</p>}
      {isError && !isInvalid && (
        <FaultBanner error={error} onRetry={() => void preview.refetch()} />
      )}
      {data === undefined && !isError && !isFetching && isCurrent && (
        <Empty title={texts.previewNothing} />
      )}
      <p role="status" className="soft padded">
        {isFetching ? texts.counting : data !== undefined && texts.previewText}
      </p>
      {data !== undefined && (
        <>
          <PreviewCost preview={data} />
          <ul className="rows preview-tools" aria-label={texts.tools}>
            {data.tools.slice(0, MOST_SHOWN).map(({ name, verdict, description }) => (
              <li key={name} title={plainText(description, 300)}>
                <span className="mono grow">{plainText(name, 80)}</span>
                <Badge tone={verdictTones[verdict]}>{texts.verdicts[verdict]}</Badge>
              </li>
            ))}
            {data.left_out.slice(0, MOST_SHOWN).map(({ name, reason }) => (
              <li key={name} className="soft">
                <del className="mono grow">{plainText(name, 80)}</del>
                <span>{texts.reasons[reason]}</span>
              </li>
            ))}
          </ul>
          {data.count > MOST_SHOWN && (
            <p className="soft padded">{texts.moreShown(formatNumber(data.count - MOST_SHOWN))}</p>
          )}
        </>
      )}
    </Card>
  );
}
