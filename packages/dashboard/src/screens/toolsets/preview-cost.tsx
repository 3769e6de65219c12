import type { ToolsetPreview } from "../../data/agents/toolsets.ts";
import { formatNumber, formatShare, plainText } from "../../parts/formats.ts";
import { toolsetTexts } from "../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../texts/use-texts.ts";

/** What automatic mode shows directly. */
const DIRECT_TOKENS = 8000;
/** Of each list of what is not there. */
const MOST_NAMED = 20;

/** What a client is shown, what that costs in each conversation, and what is not there. */
export function PreviewCost({ preview }: { preview: ToolsetPreview }) {
  const texts = useTextsOf(toolsetTexts);
  const { count, mode, tokens, tokens_of_tools: all } = preview;
  return (
    <div className="stack padded">
      <div>
        <strong>{texts.count(formatNumber(count))}</strong>,{" "}
        {texts.listTokens(formatNumber(tokens))}
        <meter
          className="budget-line"
          aria-label={texts.directLimit(formatShare(all / DIRECT_TOKENS))}
          min={0}
          max={DIRECT_TOKENS}
          high={DIRECT_TOKENS * 0.8}
          value={Math.min(all, DIRECT_TOKENS)}
        />
        <p className="soft">
          {texts.shownAs[mode]} {texts.allTokens(formatNumber(all))},{" "}
          {texts.directLimit(formatShare(all / DIRECT_TOKENS))}.
        </p>
        {preview.can_send && <p className="soft">{texts.canSend}</p>}
      </div>
      {(preview.unknown.length > 0 || preview.pinned_missing.length > 0) && (
        <ul className="bullets fault">
          {preview.unknown.slice(0, MOST_NAMED).map((name) => (
            <li key={name}>{texts.unknown(plainText(name, 120))}</li>
          ))}
          {preview.pinned_missing.slice(0, MOST_NAMED).map((name) => (
            <li key={name}>{texts.pinnedMissing(plainText(name, 80))}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
