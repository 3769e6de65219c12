import { useNavigate } from "@tanstack/react-router";
import { callApi } from "../../data/api.ts";
import { readChangesAgain } from "../../data/environment/settings.ts";
import { meQuery } from "../../data/me.ts";
import { queryClient } from "../../data/query-client.ts";
import { LinesInput, linesOf } from "../../parts/forms/lines-input.tsx";
import { SaveForm } from "../../parts/forms/save-form.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { isOn, ToggleInput } from "../../parts/forms/toggle-input.tsx";
import { curlOf, nodeCall } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { LastChange } from "./last-change.tsx";
import { WithSettings, WRITE_SETTINGS } from "./with-settings.tsx";

/** Where the values of the fields are in the call. */
const valuePaths = {
  callback: "callback_url",
  origins: "connect_allowed_origins",
};

/** Where the values of the fields are in the call. */
const namePaths = {
  "environment-name": "name",
  production: "is_production",
};

/** Name, production mark, and where end users come back. */
export function GeneralTab() {
  const { settings: texts } = useTexts();
  return (
    <div className="stack measure">
      <NameForm />
      <WithSettings>
        {({ callback_url: callback, connect_allowed_origins: origins }, change) => (
          <SaveForm
            values={valuePaths}
            title={texts.addressesTitle}
            scope={WRITE_SETTINGS}
            lastChange={
              <LastChange of="settings" names={["callback_url", "connect_allowed_origins"]} />
            }
            onSave={async (form) =>
              await change({
                callback_url: String(form.get("callback")).trim(),
                connect_allowed_origins: linesOf(form, "origins"),
              })
            }
          >
            <TextInput
              isOptional
              label={texts.callbackUrl}
              name="callback"
              autoComplete="off"
              help={texts.callbackHelp}
              initial={callback}
            />
            <LinesInput
              label={texts.origins}
              name="origins"
              help={texts.originsHelp}
              initial={origins}
            />
          </SaveForm>
        )}
      </WithSettings>
      <DeleteEnvironment />
    </div>
  );
}

function NameForm() {
  const { settings: texts } = useTexts();
  const { id, name, is_production: isProduction } = useEnvironment();
  const navigate = useNavigate();
  return (
    <SaveForm
      values={namePaths}
      title={texts.nameTitle}
      scope="account:environments:update"
      lastChange={<LastChange of="environment" names={["name", "is_production"]} />}
      onSave={async (form) => {
        const next = String(form.get("environment-name")).trim();
        const marked = isOn(form, "production");
        const body = {
          ...(next === name ? {} : { name: next }),
          ...(marked === isProduction ? {} : { is_production: marked }),
        };
        await callApi("updateEnvironment", { params: { environmentId: id }, body });
        await readChangesAgain(name);
        // The address has the name: the person is led to the new one as soon as the page knows it.
        await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
        if (next !== name) {
          await navigate({ to: `/${encodeURIComponent(next)}/settings/general`, replace: true });
        }
      }}
    >
      <TextInput
        label={texts.name}
        name="environment-name"
        autoComplete="off"
        help={texts.nameHelp}
        initial={name}
      />
      <ToggleInput name="production" label={texts.production} initial={isProduction} />
    </SaveForm>
  );
}

function DeleteEnvironment() {
  const { settings: texts } = useTexts();
  const { id, name, is_production: isProduction } = useEnvironment();
  const navigate = useNavigate();
  return (
    <div className="row">
      <ConfirmButton
        label={texts.delete}
        scope="account:environments:delete"
        isDisabled={isProduction}
        text={texts.deleteText(name)}
        confirm={texts.deleteNamed(name)}
        code={[
          curlOf("deleteEnvironment", "account", { params: { environmentId: id } }),
          nodeCall("account", "environments.delete", id),
        ]}
        typed={{ label: texts.typeName, text: name }}
        onConfirm={async () => {
          await callApi("deleteEnvironment", { params: { environmentId: id } });
          await navigate({ to: "/" });
          await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
        }}
      />
      {isProduction && <span className="soft">{texts.deleteProduction}</span>}
    </div>
  );
}
