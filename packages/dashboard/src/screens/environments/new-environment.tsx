import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../data/api.ts";
import {
  type CreatedEnvironment,
  readEnvironmentsAgain,
} from "../../data/environment/environments.ts";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { SecretOnce } from "../../parts/forms/secret-once.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { isOn, ToggleInput } from "../../parts/forms/toggle-input.tsx";
import { keyVariable } from "../../parts/panels/code-panel.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { useMayInAccount } from "../../shell/use-account.ts";
import { homeOf } from "../../start/environment-address.ts";
import { environmentTexts } from "../../texts/screens/shell/environments.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";

/** Where the values of the fields are in the call. */
const valuePaths = { "environment-name": "name", production: "is_production" };

/** Makes an environment, and shows its first key once. */
export function NewEnvironmentButton() {
  const texts = useTextsOf(environmentTexts);
  return (
    <DialogButton label={texts.add} look="primary" scope="account:environments:create">
      {(close) => <NewEnvironment onDone={close} />}
    </DialogButton>
  );
}

function NewEnvironment({ onDone }: { onDone: () => void }) {
  const texts = useTextsOf(environmentTexts);
  const mayMark = useMayInAccount("account:environments:set_production");
  const make = useMutation({
    mutationFn: async (form: FormData) => {
      const name = String(form.get("environment-name")).trim();
      const body = { name, ...(isOn(form, "production") ? { is_production: true } : {}) };
      return (await callApi("createEnvironment", { body })).data;
    },
    onSuccess: readEnvironmentsAgain,
    // The answer holds a secret: nothing keeps it once the dialog is closed.
    gcTime: 0,
  });
  if (make.data !== undefined) return <Created environment={make.data} onDone={onDone} />;
  return (
    <ApiForm
      className="stack"
      error={make.error}
      values={valuePaths}
      onSend={(form) => make.mutate(form)}
    >
      <TextInput
        autoFocus
        label={texts.name}
        name="environment-name"
        autoComplete="off"
        help={texts.nameHelp}
      />
      {mayMark ? (
        <ToggleInput
          name="production"
          label={texts.markProduction}
          help={texts.productionHelp}
          initial={false}
        />
      ) : (
        <p className="soft">{texts.productionNeeds}</p>
      )}
      <div className="row">
        <Button className="button primary" type="submit" isPending={make.isPending}>
          {texts.create}
        </Button>
      </div>
    </ApiForm>
  );
}

function Created({
  environment: { name, api_key: key },
  onDone,
}: {
  environment: CreatedEnvironment;
  onDone: () => void;
}) {
  const { keys } = useTexts();
  const texts = useTextsOf(environmentTexts);
  const navigate = useNavigate();
  return (
    <>
      <p role="status">{texts.createdTitle(name)}</p>
      {key === undefined ? (
        <p className="soft">{texts.noKey}</p>
      ) : (
        <>
          <h3 className="label">{keys.envLine}</h3>
          <SecretOnce label={keys.envLine} secret={`${keyVariable(name)}=${key.secret}`} />
        </>
      )}
      <div className="row">
        <span className="space" />
        <Button
          className="button primary"
          onPress={() => {
            onDone();
            void navigate({ to: homeOf(name) });
          }}
        >
          {texts.open}
        </Button>
      </div>
    </>
  );
}
