import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Checkbox } from "react-aria-components/Checkbox";
import { CheckboxGroup } from "react-aria-components/CheckboxGroup";
import { Label } from "react-aria-components/Label";
import { Radio, RadioGroup } from "react-aria-components/RadioGroup";
import { effects } from "../../../data/agents/toolset-draft.ts";
import type { ToolsetBody } from "../../../data/agents/toolsets.ts";
import { integrationsQuery } from "../../../data/integrations.ts";
import { NameFilter } from "../../../parts/filters/name-filter.tsx";
import { plainText } from "../../../parts/formats.ts";
import { Card } from "../../../parts/panels/card.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { toolsetTexts } from "../../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import type { PartProps } from "./part-props.ts";
import { ToolPicker } from "./tool-picker.tsx";
import { UpstreamNote } from "./upstream-note.tsx";

type Selection = ToolsetBody["tools"][number];

/** Integrations whose tools it has, all or some of each, and of which effects. */
export function ToolsCard({ draft: { tools, effects: chosen }, change, faultAt }: PartProps) {
  const texts = useTextsOf(toolsetTexts);
  const taken = tools.map(({ integration }) => integration);
  const setSelection = (place: number, selection: Selection) =>
    change({ tools: tools.map((each, at) => (at === place ? selection : each)) });
  return (
    <Card
      title={texts.toolsTitle}
      actions={
        <IntegrationChooser
          label={texts.addIntegration}
          taken={taken}
          onChoose={(integration) => change({ tools: [...tools, { integration }] })}
        />
      }
    >
      <p className="soft padded">{texts.toolsText}</p>
      {tools.map((selection, place) => (
        <SelectionInput
          key={selection.integration}
          selection={selection}
          fault={faultAt(`tools.${place}`)}
          onChange={(changed) => setSelection(place, changed)}
          onRemove={() => change({ tools: tools.filter((_, at) => at !== place) })}
        />
      ))}
      {tools.length === 0 && faultAt("tools") !== undefined && (
        <p className="fault padded">{faultAt("tools")}</p>
      )}
      <CheckboxGroup
        className="choices padded"
        value={[...chosen]}
        isInvalid={faultAt("effects") !== undefined}
        onChange={(names) => change({ effects: effects.filter((each) => names.includes(each)) })}
      >
        <Label className="label">{texts.effectsTitle}</Label>
        <div className="row">
          {effects.map((effect) => (
            <Checkbox key={effect} className="choice" value={effect}>
              {texts.effects[effect]}
            </Checkbox>
          ))}
        </div>
        <span className="help">{texts.effectsHelp}</span>
        <span className="fault">{faultAt("effects")}</span>
      </CheckboxGroup>
    </Card>
  );
}

/** Adds one of the environment's integrations that is not there yet. */
export function IntegrationChooser({
  label,
  taken,
  onChoose,
}: {
  label: string;
  taken: readonly string[];
  onChoose: (integration: string) => void;
}) {
  const { name: environment } = useEnvironment();
  const { data = [] } = useQuery(integrationsQuery(environment));
  const [typed, setTyped] = useState("");
  const names = data.map(({ unique_key: key }) => key).filter((key) => !taken.includes(key));
  const wanted = typed.toLowerCase();
  return (
    <NameFilter
      label={label}
      chosen={undefined}
      names={names.filter((key) => key.toLowerCase().includes(wanted))}
      onType={setTyped}
      onChange={(key) => {
        if (key !== undefined && names.includes(key)) onChoose(key);
      }}
    />
  );
}

function SelectionInput({
  selection: { integration, actions },
  fault,
  onChange,
  onRemove,
}: {
  selection: Selection;
  fault: string | undefined;
  onChange: (selection: Selection) => void;
  onRemove: () => void;
}) {
  const texts = useTextsOf(toolsetTexts);
  const name = plainText(integration, 60);
  return (
    <section className="form-part stack" aria-label={name}>
      <div className="row">
        <strong className="mono grow">{name}</strong>
        <Button
          className="button small"
          aria-label={texts.removeIntegration(name)}
          onPress={onRemove}
        >
          {texts.remove}
        </Button>
      </div>
      <RadioGroup
        className="choices"
        aria-label={name}
        value={actions === undefined ? "all" : "some"}
        onChange={(which) =>
          onChange(which === "all" ? { integration } : { integration, actions: [] })
        }
      >
        <div className="row">
          <Radio className="choice" value="all">
            {texts.allTools}
          </Radio>
          <Radio className="choice" value="some">
            {texts.someTools}
          </Radio>
        </div>
      </RadioGroup>
      {actions !== undefined && (
        <ToolPicker
          integration={integration}
          chosen={actions}
          onChange={(chosen) => onChange({ integration, actions: [...chosen] })}
        />
      )}
      {fault !== undefined && <p className="fault">{fault}</p>}
      <UpstreamNote integration={integration} />
    </section>
  );
}
