import { Button } from "react-aria-components/Button";
import { Checkbox } from "react-aria-components/Checkbox";
import {
  type DraftCondition,
  type DraftRule,
  effects,
} from "../../../data/agents/toolset-draft.ts";
import { ChoiceInput } from "../../../parts/forms/choice-input.tsx";
import { LinesInput } from "../../../parts/forms/lines-input.tsx";
import { TextInput } from "../../../parts/forms/text-input.tsx";
import { choicesOf } from "../../../parts/list/word-filters.tsx";
import { toolsetTexts } from "../../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import type { FaultAt } from "./part-props.ts";

const verdicts = ["allow", "ask", "deny"] as const;
const taints = ["true", "false"] as const;
const ops = ["in", "matches", "lte", "domain_in"] as const;
const any = "any";

/** One rule: about which calls it is, and what happens to them. */
export function RuleInput({
  place,
  isLast,
  rule,
  integrations,
  faultAt,
  onChange,
  onMove,
  onRemove,
}: {
  place: number;
  isLast: boolean;
  rule: DraftRule;
  integrations: readonly string[];
  faultAt: FaultAt;
  onChange: (rule: DraftRule) => void;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
}) {
  const texts = useTextsOf(toolsetTexts);
  const path = `policy.rules.${place}`;
  const set = (changed: Partial<DraftRule>) => onChange({ ...rule, ...changed });
  const named = rule.integration === "" ? integrations : [...integrations, rule.integration];
  return (
    <section className="form-part stack" aria-label={texts.rule(place + 1)}>
      <div className="row">
        <strong className="grow">{texts.rule(place + 1)}</strong>
        <Button
          className="button small"
          aria-label={texts.up(place + 1)}
          isDisabled={place === 0}
          onPress={() => onMove(-1)}
        >
          ↑
        </Button>
        <Button
          className="button small"
          aria-label={texts.down(place + 1)}
          isDisabled={isLast}
          onPress={() => onMove(1)}
        >
          ↓
        </Button>
        <Button
          className="button small"
          aria-label={texts.removeRule(place + 1)}
          onPress={onRemove}
        >
          {texts.remove}
        </Button>
      </div>
      <div className="scope-groups">
        <ChoiceInput
          label={texts.integration}
          value={rule.integration === "" ? any : rule.integration}
          choices={[
            { id: any, text: texts.anyIntegration },
            ...[...new Set(named)].map((id) => ({ id, text: id })),
          ]}
          onChange={(value) => set({ integration: value === any ? "" : value })}
        />
        <TextInput
          isOptional
          label={texts.action}
          name={`action-${place}`}
          autoComplete="off"
          help={texts.actionHelp}
          value={rule.action}
          fault={faultAt(`${path}.action`)}
          onChange={(action) => set({ action })}
        />
        <ChoiceInput
          label={texts.effect}
          value={rule.effect === "" ? any : rule.effect}
          choices={[{ id: any, text: texts.anyEffect }, ...choicesOf(texts.effects)]}
          onChange={(value) => set({ effect: effects.find((each) => each === value) ?? "" })}
        />
        <ChoiceInput
          label={texts.tainted}
          value={rule.tainted === "" ? any : rule.tainted}
          choices={choicesOf(texts.taints)}
          onChange={(value) => set({ tainted: taints.find((each) => each === value) ?? "" })}
        />
        <ChoiceInput
          label={texts.verdict}
          value={rule.verdict}
          choices={choicesOf(texts.ruleVerdicts)}
          onChange={(value) => set({ verdict: verdicts.find((each) => each === value) ?? "ask" })}
        />
      </div>
      <Checkbox
        className="choice"
        isSelected={rule.fromOthers}
        onChange={(fromOthers) => set({ fromOthers })}
      >
        {texts.fromOthers}
      </Checkbox>
      <Conditions
        conditions={rule.conditions}
        path={path}
        faultAt={faultAt}
        onChange={(conditions) => set({ conditions })}
      />
    </section>
  );
}

function Conditions({
  conditions,
  path,
  faultAt,
  onChange,
}: {
  conditions: readonly DraftCondition[];
  path: string;
  faultAt: FaultAt;
  onChange: (conditions: readonly DraftCondition[]) => void;
}) {
  const texts = useTextsOf(toolsetTexts);
  const set = (place: number, changed: Partial<DraftCondition>) =>
    onChange(conditions.map((each, at) => (at === place ? { ...each, ...changed } : each)));
  return (
    <>
      {conditions.map((condition, place) => (
        <Condition
          // biome-ignore lint/suspicious/noArrayIndexKey: what a condition holds is in the form, not in the element
          key={place}
          condition={condition}
          name={`${path}.${place}`}
          removeLabel={texts.removeCondition(place + 1)}
          pathFault={faultAt(`${path}.input.${place}.path`)}
          valueFault={faultAt(`${path}.input.${place}.value`)}
          onChange={(changed) => set(place, changed)}
          onRemove={() => onChange(conditions.filter((_, at) => at !== place))}
        />
      ))}
      <div className="row">
        <Button
          className="button small"
          onPress={() => onChange([...conditions, { path: "/", op: "in", text: "" }])}
        >
          {texts.addCondition}
        </Button>
      </div>
    </>
  );
}

function Condition({
  condition: { path, op, text },
  name,
  removeLabel,
  pathFault,
  valueFault,
  onChange,
  onRemove,
}: {
  condition: DraftCondition;
  name: string;
  removeLabel: string;
  pathFault: string | undefined;
  valueFault: string | undefined;
  onChange: (changed: Partial<DraftCondition>) => void;
  onRemove: () => void;
}) {
  const texts = useTextsOf(toolsetTexts);
  const value = {
    label: texts.value,
    name: `${name}.value`,
    help: texts.valueHelp[op],
    value: text,
    fault: valueFault,
    onChange: (typed: string) => onChange({ text: typed }),
  };
  return (
    <div className="scope-groups">
      <TextInput
        isOptional
        label={texts.path}
        name={`${name}.path`}
        autoComplete="off"
        help={texts.pathHelp}
        value={path}
        fault={pathFault}
        onChange={(typed) => onChange({ path: typed })}
      />
      <ChoiceInput
        label={texts.op}
        value={op}
        choices={choicesOf(texts.ops)}
        onChange={(chosen) => onChange({ op: ops.find((each) => each === chosen) ?? "in" })}
      />
      {op === "in" || op === "domain_in" ? (
        <LinesInput {...value} />
      ) : (
        <TextInput {...value} isOptional autoComplete="off" />
      )}
      <div>
        <Button className="button small" aria-label={removeLabel} onPress={onRemove}>
          {texts.remove}
        </Button>
      </div>
    </div>
  );
}
