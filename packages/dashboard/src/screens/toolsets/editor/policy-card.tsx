import { Button } from "react-aria-components/Button";
import type { Approver, DraftRule, Preset } from "../../../data/agents/toolset-draft.ts";
import { ChoiceInput } from "../../../parts/forms/choice-input.tsx";
import { TextInput } from "../../../parts/forms/text-input.tsx";
import { choicesOf } from "../../../parts/list/word-filters.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { toolsetTexts } from "../../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import type { PartProps } from "./part-props.ts";
import { RuleInput } from "./rule-input.tsx";

const presets: readonly Preset[] = ["careful", "read_only", "trusted"];
const approvers: readonly Approver[] = ["operator", "end_user", "client"];

const newRule: DraftRule = {
  ...{ verdict: "ask", integration: "", action: "", effect: "" },
  ...{ conditions: [], tainted: "", fromOthers: false },
};

/** Which calls are made without asking. */
export function PolicyCard({ draft, change, faultAt }: PartProps) {
  const texts = useTextsOf(toolsetTexts);
  const { preset, approver, rules, url, tools } = draft;
  const setRule = (place: number, rule: DraftRule) =>
    change({ rules: rules.map((each, at) => (at === place ? rule : each)) });
  return (
    <Card
      title={texts.policyTitle}
      actions={
        <Button
          className="button small"
          isDisabled={preset === ""}
          onPress={() => change({ rules: [...rules, newRule] })}
        >
          {texts.addRule}
        </Button>
      }
    >
      <div className="scope-groups padded">
        <ChoiceInput
          label={texts.preset}
          help={texts.presetHelp[preset === "" ? "none" : preset]}
          value={preset === "" ? "none" : preset}
          choices={[
            ...presets.map((id) => ({ id, text: texts.presets[id] })),
            ...(preset === "" ? [{ id: "none", text: texts.presets.none }] : []),
          ]}
          onChange={(value) => change({ preset: presets.find((each) => each === value) ?? "" })}
        />
        <ChoiceInput
          label={texts.approver}
          value={approver}
          isDisabled={preset === ""}
          choices={choicesOf(texts.approvers)}
          onChange={(value) =>
            change({ approver: approvers.find((each) => each === value) ?? "operator" })
          }
        />
      </div>
      {preset !== "" && (
        <>
          <div className="padded">
            <TextInput
              isOptional
              label={texts.policyUrl}
              name="policy-url"
              autoComplete="off"
              help={texts.policyUrlHelp}
              value={url}
              fault={faultAt("policy.url")}
              onChange={(text) => change({ url: text })}
            />
          </div>
          <p className="soft padded">{texts.rulesText}</p>
          {rules.map((rule, place) => (
            <RuleInput
              // biome-ignore lint/suspicious/noArrayIndexKey: what a rule holds is in the form, not in the element
              key={place}
              place={place}
              isLast={place === rules.length - 1}
              rule={rule}
              integrations={tools.map(({ integration }) => integration)}
              faultAt={faultAt}
              onChange={(changed) => setRule(place, changed)}
              onMove={(by) => change({ rules: moved(rules, place, by) })}
              onRemove={() => change({ rules: rules.filter((_, at) => at !== place) })}
            />
          ))}
        </>
      )}
    </Card>
  );
}

function moved(rules: readonly DraftRule[], place: number, by: 1 | -1): readonly DraftRule[] {
  const rule = rules[place];
  if (rule === undefined) return rules;
  return rules.toSpliced(place, 1).toSpliced(place + by, 0, rule);
}
