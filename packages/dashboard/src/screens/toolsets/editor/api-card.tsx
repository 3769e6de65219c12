import { Button } from "react-aria-components/Button";
import { Checkbox } from "react-aria-components/Checkbox";
import { CheckboxGroup } from "react-aria-components/CheckboxGroup";
import { Label } from "react-aria-components/Label";
import { type DraftApi, type DraftPathRule, methods } from "../../../data/agents/toolset-draft.ts";
import type { ToolsetBody } from "../../../data/agents/toolsets.ts";
import { plainText } from "../../../parts/formats.ts";
import { LinesInput } from "../../../parts/forms/lines-input.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { toolsetTexts } from "../../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import type { FaultAt, PartProps } from "./part-props.ts";
import { RequestTester } from "./request-tester.tsx";
import { IntegrationChooser } from "./tools-card.tsx";

const newRule: DraftPathRule = { methods: ["GET"], paths: "" };

/** Requests that no tool is for, by rules about their paths. */
export function ApiCard({
  draft: { api },
  change,
  faultAt,
  asked,
}: PartProps & { asked: ToolsetBody }) {
  const texts = useTextsOf(toolsetTexts);
  const set = (place: number, changed: DraftApi) =>
    change({ api: api.map((each, at) => (at === place ? changed : each)) });
  return (
    <Card
      title={texts.apiTitle}
      actions={
        <IntegrationChooser
          label={texts.addApi}
          taken={api.map(({ integration }) => integration)}
          onChoose={(integration) =>
            change({ api: [...api, { integration, allow: [newRule], deny: [] }] })
          }
        />
      }
    >
      <p className="soft padded">{texts.apiText}</p>
      {api.map((selection, place) => (
        <section
          key={selection.integration}
          className="form-part stack"
          aria-label={`api__${plainText(selection.integration, 60)}`}
        >
          <div className="row">
            <strong className="mono grow">{`api__${plainText(selection.integration, 60)}`}</strong>
            <Button
              className="button small"
              aria-label={texts.removeIntegration(`api__${plainText(selection.integration, 60)}`)}
              onPress={() => change({ api: api.filter((_, at) => at !== place) })}
            >
              {texts.remove}
            </Button>
          </div>
          {(["allow", "deny"] as const).map((list) => (
            <Rules
              key={list}
              list={list}
              rules={selection[list]}
              path={`api.${place}.${list}`}
              faultAt={faultAt}
              onChange={(rules) => set(place, { ...selection, [list]: rules })}
            />
          ))}
          <RequestTester integration={selection.integration} asked={asked} />
        </section>
      ))}
    </Card>
  );
}

function Rules({
  list,
  rules,
  path,
  faultAt,
  onChange,
}: {
  list: "allow" | "deny";
  rules: readonly DraftPathRule[];
  path: string;
  faultAt: FaultAt;
  onChange: (rules: readonly DraftPathRule[]) => void;
}) {
  const texts = useTextsOf(toolsetTexts);
  const nameOf = list === "allow" ? texts.allowRule : texts.denyRule;
  const removeOf = list === "allow" ? texts.removeAllow : texts.removeDeny;
  const set = (place: number, changed: Partial<DraftPathRule>) =>
    onChange(rules.map((each, at) => (at === place ? { ...each, ...changed } : each)));
  return (
    <>
      {rules.map((rule, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what a rule holds is in the form, not in the element
        <fieldset key={place} className="path-rule">
          <legend>{nameOf(place + 1)}</legend>
          <CheckboxGroup
            className="choices"
            value={[...rule.methods]}
            onChange={(names) =>
              set(place, { methods: methods.filter((each) => names.includes(each)) })
            }
          >
            <Label className="label">{texts.methods}</Label>
            <div className="row">
              {methods.map((method) => (
                <Checkbox key={method} className="choice mono" value={method}>
                  {method}
                </Checkbox>
              ))}
            </div>
            <span className="fault">{faultAt(`${path}.${place}.methods`)}</span>
          </CheckboxGroup>
          <LinesInput
            label={texts.paths}
            name={`${path}.${place}`}
            help={texts.pathsHelp}
            value={rule.paths}
            fault={faultAt(`${path}.${place}.paths`)}
            onChange={(paths) => set(place, { paths })}
          />
          {(list === "deny" || rules.length > 1) && (
            <div>
              <Button
                className="button small"
                aria-label={removeOf(place + 1)}
                onPress={() => onChange(rules.filter((_, at) => at !== place))}
              >
                {texts.remove}
              </Button>
            </div>
          )}
        </fieldset>
      ))}
      <div className="row">
        <Button className="button small" onPress={() => onChange([...rules, newRule])}>
          {list === "allow" ? texts.addAllow : texts.addDeny}
        </Button>
      </div>
    </>
  );
}
