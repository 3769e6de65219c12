import { budgets } from "../../../data/agents/toolset-draft.ts";
import { TextInput } from "../../../parts/forms/text-input.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { toolsetTexts } from "../../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import type { PartProps } from "./part-props.ts";

/** How much a session may do, and an end user in a day. */
export function LimitsCard({ draft: { budget }, change, faultAt }: PartProps) {
  const texts = useTextsOf(toolsetTexts);
  return (
    <Card title={texts.limitsTitle}>
      <p className="soft padded">{texts.budgetHelp}</p>
      <div className="scope-groups padded">
        {budgets.map((key) => (
          <TextInput
            key={key}
            isOptional
            isNumber
            label={texts.budgets[key]}
            name={key}
            autoComplete="off"
            value={budget[key]}
            fault={faultAt(`budget.${key}`)}
            onChange={(text) => change({ budget: { ...budget, [key]: text } })}
          />
        ))}
      </div>
    </Card>
  );
}
