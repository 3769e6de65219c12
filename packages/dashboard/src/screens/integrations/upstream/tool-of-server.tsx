import { useState } from "react";
import { Checkbox } from "react-aria-components/Checkbox";
import { effects } from "../../../data/agents/toolset-draft.ts";
import type { UpstreamTool } from "../../../data/environment/upstreams.ts";
import { Badge, type Tone } from "../../../parts/badge.tsx";
import { formatNumber, plainText } from "../../../parts/formats.ts";
import { ChoiceInput } from "../../../parts/forms/choice-input.tsx";
import { choicesOf } from "../../../parts/list/word-filters.tsx";
import { JsonView } from "../../../parts/panels/json-view.tsx";
import { ScopedButton } from "../../../parts/scoped-button.tsx";
import { upstreamTexts } from "../../../texts/integrations/upstreams.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import { type Decision, WRITE } from "./use-change.ts";

const tones: Readonly<Record<UpstreamTool["state"], Tone>> = {
  new: "warn",
  allowed: "good",
  changed: "bad",
  refused: "idle",
  gone: "idle",
};

interface ToolProps {
  readonly tool: UpstreamTool;
  readonly isPending: boolean;
  readonly onDecide: (decision: Decision) => void;
}

/** One tool as its server describes it, and what somebody decides about that very version. */
export function ToolOfServer(props: ToolProps) {
  const texts = useTextsOf(upstreamTexts);
  const { name, state, effect } = props.tool;
  const [isOpen, setOpen] = useState(state === "changed");
  return (
    <details
      className="form-part"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span className="mono">{plainText(name, 128)}</span>{" "}
        <Badge tone={tones[state]}>{texts.states[state]}</Badge>{" "}
        <span className="soft">{texts.effect(texts.effects[effect])}</span>
      </summary>
      {isOpen && <Definition {...props} />}
    </details>
  );
}

function Definition({ tool, isPending, onDecide }: ToolProps) {
  const texts = useTextsOf(upstreamTexts);
  const { state, definition, changed } = tool;
  const [effect, setEffect] = useState(tool.effect);
  const [sends, setSends] = useState(tool.sends);
  const isOpen = state === "new" || state === "changed" || state === "refused";
  const isRefusable = state !== "refused" && state !== "gone";
  const decide = (decision: Decision["decision"]) => onDecide({ decision, effect, sends });
  return (
    <div className="stack">
      <p>{plainText(definition.description, 1000)}</p>
      {changed !== null && <Changes changes={changed.changes} />}
      <JsonView label={texts.inputs} value={(changed ?? tool).definition.input_schema} />
      {isOpen && (
        <div className="scope-groups">
          <ChoiceInput
            label={texts.countsAs}
            help={texts.countsAsHelp}
            value={effect}
            choices={choicesOf(texts.effects)}
            onChange={(value) => setEffect(effects.find((each) => each === value) ?? "write")}
          />
          <Checkbox className="choice" isSelected={sends} onChange={setSends}>
            {texts.sends}
          </Checkbox>
        </div>
      )}
      <div className="row">
        {isOpen && (
          <ScopedButton
            scope={WRITE}
            look="primary"
            isPending={isPending}
            onPress={() => decide("accept")}
          >
            {state === "changed" ? texts.acceptChange : texts.accept}
          </ScopedButton>
        )}
        {isRefusable && (
          <ScopedButton
            scope={WRITE}
            look="danger"
            isPending={isPending}
            onPress={() => decide("refuse")}
          >
            {texts.refuse}
          </ScopedButton>
        )}
      </div>
    </div>
  );
}

function Changes({ changes }: { changes: NonNullable<UpstreamTool["changed"]>["changes"] }) {
  const texts = useTextsOf(upstreamTexts);
  return (
    <div>
      <strong>{texts.changes(formatNumber(changes.length))}</strong>
      <ul className="bullets">
        {changes.map(({ path, before, after }) => (
          <li key={path}>
            <span className="mono">{plainText(path, 200)}</span>
            <p>
              {texts.before}: <del>{plainText(before ?? texts.missing, 1000)}</del>
            </p>
            <p>
              {texts.after}: <ins>{plainText(after ?? texts.missing, 1000)}</ins>
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}
