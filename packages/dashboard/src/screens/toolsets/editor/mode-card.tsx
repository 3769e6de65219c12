import { ChoiceInput } from "../../../parts/forms/choice-input.tsx";
import { LinesInput } from "../../../parts/forms/lines-input.tsx";
import { choicesOf } from "../../../parts/list/word-filters.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { toolsetTexts } from "../../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import type { PartProps } from "./part-props.ts";

const modes = ["auto", "direct", "search", "code"] as const;

/** How a client sees the tools. */
export function ModeCard({ draft: { mode, pinned }, change, faultAt }: PartProps) {
  const texts = useTextsOf(toolsetTexts);
  return (
    <Card title={texts.modeTitle}>
      <div className="stack padded">
        <ChoiceInput
          label={texts.mode}
          help={texts.modeHelp[mode]}
          value={mode}
          choices={choicesOf(texts.modes)}
          onChange={(value) => change({ mode: modes.find((each) => each === value) ?? "auto" })}
        />
        <LinesInput
          label={texts.pinned}
          name="pinned"
          help={texts.pinnedHelp}
          value={pinned}
          fault={faultAt("pinned")}
          onChange={(text) => change({ pinned: text })}
        />
      </div>
    </Card>
  );
}
