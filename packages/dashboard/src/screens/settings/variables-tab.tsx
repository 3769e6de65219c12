import { useQuery } from "@tanstack/react-query";
import { callApi } from "../../data/api.ts";
import {
  readChangesAgain,
  type Variable,
  variablesQuery,
} from "../../data/environment/settings.ts";
import { queryClient } from "../../data/query-client.ts";
import { plainText } from "../../parts/formats.ts";
import { Reveal } from "../../parts/forms/reveal.tsx";
import { SaveForm } from "../../parts/forms/save-form.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { curlOf, nodeCall } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { LastChange } from "./last-change.tsx";
import { WithQuery } from "./with-settings.tsx";

/** Where the values of the fields are in the call. */
const valuePaths = {
  "variable-name": "name",
  "variable-value": "value",
};

const WRITE = "environment:variables:write";

async function readAgain(environment: string): Promise<void> {
  const { queryKey } = variablesQuery(environment);
  await queryClient.invalidateQueries({ queryKey });
  await readChangesAgain(environment);
}

/** Texts that functions read, behind masks. */
export function VariablesTab() {
  const { settings: texts } = useTexts();
  const { name: environment } = useEnvironment();
  return (
    <WithQuery query={useQuery(variablesQuery(environment))}>
      {(variables) => (
        <div className="stack measure">
          <Card title={texts.tabs.variables}>
            {variables.length === 0 && (
              <Empty title={texts.noVariable} text={texts.noVariableText} />
            )}
            <ul className="plain-list variables">
              {variables.map((variable) => (
                <OneVariable key={variable.name} variable={variable} />
              ))}
            </ul>
          </Card>
          <SetVariable />
        </div>
      )}
    </WithQuery>
  );
}

function OneVariable({ variable: { name, value } }: { variable: Variable }) {
  const { settings: texts } = useTexts();
  const { name: environment, is_production: isProduction } = useEnvironment();
  return (
    <li>
      <code>{plainText(name)}</code>
      <Reveal
        label={texts.valueOf(name)}
        mask={value}
        read={async () => {
          const call = { environment, params: { name } };
          return (await callApi("revealEnvironmentVariable", call)).data.value;
        }}
      />
      <LastChange of="variable" names={[name]} />
      <ConfirmButton
        label={texts.deleteOne}
        name={texts.deleteVariable(name)}
        scope={WRITE}
        text={texts.deleteVariableText(name)}
        confirm={texts.deleteIn(environment)}
        typed={isProduction ? { label: texts.typeVariable, text: name } : undefined}
        code={[
          curlOf("deleteEnvironmentVariable", environment, { params: { name } }),
          nodeCall(environment, "variables.delete", name),
        ]}
        onConfirm={async () => {
          await callApi("deleteEnvironmentVariable", { environment, params: { name } });
          await readAgain(environment);
        }}
      />
    </li>
  );
}

function SetVariable() {
  const { settings: texts } = useTexts();
  const { name: environment } = useEnvironment();
  return (
    <SaveForm
      values={valuePaths}
      title={texts.setTitle}
      scope={WRITE}
      onSave={async (form) => {
        const name = String(form.get("variable-name")).trim();
        const value = String(form.get("variable-value"));
        await callApi("setEnvironmentVariable", { environment, params: { name }, body: { value } });
        await readAgain(environment);
      }}
    >
      <p className="soft">{texts.setHelp}</p>
      <TextInput
        label={texts.variable}
        name="variable-name"
        autoComplete="off"
        help={texts.variableRule}
      />
      <TextInput label={texts.value} name="variable-value" type="password" autoComplete="off" />
    </SaveForm>
  );
}
