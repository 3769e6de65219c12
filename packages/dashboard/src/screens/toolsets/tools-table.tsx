import { effects } from "../../data/agents/toolset-draft.ts";
import type { PreviewTool, ToolsetPreview } from "../../data/agents/toolsets.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { choicesOf, WordFilter, WordSearch } from "../../parts/list/word-filters.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { type SearchWords, useAddress } from "../../parts/use-address.ts";
import { toolsetTexts } from "../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { effectTones, verdictTones } from "./toolset-words.ts";

/** More are found by the search. */
const MOST_SHOWN = 100;

/** The tools of a toolset, and what happens to their calls. The address has the search and the filters. */
export function ToolsTable({ preview }: { preview: ToolsetPreview }) {
  const texts = useTextsOf(toolsetTexts);
  const { words } = useAddress();
  const { tools, count, left_out: leftOut } = preview;
  const found = tools.filter((tool) => isFound(tool, words));
  const more = found.length - MOST_SHOWN + (count - tools.length);
  if (count === 0 && leftOut.length === 0) {
    return <Empty title={texts.noTools} text={texts.noToolsText} />;
  }
  return (
    <div className="stack padded">
      <div className="filters">
        <WordSearch label={texts.toolSearch} isInstant />
        <WordFilter word="effect" label={texts.effect} choices={choicesOf(texts.effects)} />
        <WordFilter word="verdict" label={texts.calls} choices={choicesOf(texts.verdicts)} />
      </div>
      {found.length === 0 ? (
        <Empty title={count === 0 ? texts.noTools : texts.noToolMatches} />
      ) : (
        <PlainTable
          label={texts.tools}
          keyOf={({ name }) => name}
          rows={found.slice(0, MOST_SHOWN)}
          columns={columnsOf(texts)}
        />
      )}
      {more > 0 && <p className="soft">{texts.moreTools(formatNumber(more))}</p>}
      {leftOut.length > 0 && (
        <PlainTable
          label={texts.leftOut}
          keyOf={({ name }) => name}
          rows={leftOut.slice(0, MOST_SHOWN)}
          columns={[
            {
              header: texts.leftOut,
              cell: ({ name }) => <span className="mono">{plainText(name, 80)}</span>,
            },
            { header: texts.reason, cell: ({ reason }) => texts.reasons[reason] },
          ]}
        />
      )}
    </div>
  );
}

function columnsOf(texts: (typeof toolsetTexts)["english"]) {
  return [
    {
      header: texts.tool,
      cell: ({ name, description, title }: PreviewTool) => (
        <span title={plainText(description, 300)}>
          <span className="mono">{plainText(name, 80)}</span>
          {title !== undefined && (
            <>
              <br />
              <span className="soft">{plainText(title, 80)}</span>
            </>
          )}
        </span>
      ),
    },
    {
      header: texts.effect,
      cell: ({ effect, can_send: sends }: PreviewTool) => (
        <span className="one-line" title={sends ? texts.sends : undefined}>
          <Badge tone={effectTones[effect]}>{texts.effects[effect]}</Badge>
          {sends && " ↗"}
        </span>
      ),
    },
    {
      header: texts.calls,
      cell: ({ verdict, rule }: PreviewTool) => (
        <span title={rule === null ? texts.byPreset : texts.byRule(rule + 1)}>
          <Badge tone={verdictTones[verdict]}>{texts.verdicts[verdict]}</Badge>
        </span>
      ),
    },
    { header: texts.source, cell: ({ source }: PreviewTool) => texts.sources[source] },
    {
      header: texts.tokens,
      isNumber: true,
      cell: ({ tokens }: PreviewTool) => formatNumber(tokens),
    },
  ];
}

function isFound({ name, title = "", effect, verdict }: PreviewTool, words: SearchWords): boolean {
  const wanted = (words["q"] ?? "").toLowerCase();
  const asked = effects.find((each) => each === words["effect"]);
  if (asked !== undefined && asked !== effect) return false;
  if (words["verdict"] !== undefined && words["verdict"] !== verdict) return false;
  return `${name} ${title}`.toLowerCase().includes(wanted);
}
