import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../data/api.ts";
import { type CreatedLink, readLinksAgain } from "../../data/environment/connect-links.ts";
import { integrationsQuery } from "../../data/integrations.ts";
import { ChoiceFilter } from "../../parts/filters/choice-filter.tsx";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { SecretOnce } from "../../parts/forms/secret-once.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { isOn, ToggleInput } from "../../parts/forms/toggle-input.tsx";
import { choicesOf } from "../../parts/list/word-filters.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** Where the values of the fields are in the call. */
const valuePaths = {
  "end-user": "tags.end_user_id",
  "display-name": "tags.end_user_display_name",
  life: "expires_in_seconds",
  uses: "max_uses",
};

/** Makes a link; its address is on the page until the dialog closes, and nowhere else. */
export function NewLinkButton() {
  const { connectLinks: texts } = useTexts();
  return (
    <DialogButton
      label={texts.add}
      title={texts.addTitle}
      look="primary"
      scope="environment:connect_sessions:write"
      isWide
    >
      {(close) => <NewLink onDone={close} />}
    </DialogButton>
  );
}

function NewLink({ onDone }: { onDone: () => void }) {
  const { connectLinks: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { data: integrations = [] } = useQuery(integrationsQuery(environment));
  const [allowed, setAllowed] = useState<readonly string[]>([]);
  const make = useMutation({
    mutationFn: async (form: FormData) => {
      const body = bodyOf(form, allowed);
      return (await callApi("createConnectLink", { environment, body })).data;
    },
    onSuccess: async () => await readLinksAgain(environment),
    // The answer holds the token: nothing keeps it once the dialog is closed.
    gcTime: 0,
  });
  if (make.data !== undefined) return <MadeLink made={make.data} onDone={onDone} />;
  return (
    <ApiForm
      className="stack"
      error={make.error}
      values={valuePaths}
      onSend={(form) => make.mutate(form)}
    >
      <p className="soft">{texts.addText}</p>
      <TextInput
        autoFocus
        label={texts.endUserId}
        name="end-user"
        autoComplete="off"
        help={texts.endUserHelp}
      />
      <TextInput
        label={texts.displayName}
        name="display-name"
        autoComplete="off"
        isOptional
        help={texts.displayNameHelp}
      />
      <ChoiceInput
        label={texts.life}
        name="life"
        initial="604800"
        choices={choicesOf(texts.lives)}
      />
      <ChoiceInput label={texts.most} name="uses" initial="1" choices={choicesOf(texts.mostUses)} />
      <TextInput
        label={texts.note}
        name="note"
        autoComplete="off"
        isOptional
        help={texts.noteHelp}
      />
      <ToggleInput label={texts.withCode} name="with-code" initial={false} />
      <div className="row">
        <ChoiceFilter
          label={texts.integrations}
          chosen={allowed}
          choices={integrations.map(({ unique_key: id }) => ({ id, text: id }))}
          onChange={setAllowed}
        />
        <span className="space" />
        <Button className="button primary" type="submit" isPending={make.isPending}>
          {texts.make}
        </Button>
      </div>
    </ApiForm>
  );
}

function bodyOf(form: FormData, allowed: readonly string[]) {
  const given = (name: string) => String(form.get(name) ?? "").trim();
  const tags = [
    ["end_user_id", given("end-user")],
    ["end_user_display_name", given("display-name")],
  ].filter(([, value]) => value !== "");
  return {
    tags: Object.fromEntries(tags),
    ...(allowed.length === 0 ? {} : { allowed_integrations: [...allowed] }),
    ...(given("note") === "" ? {} : { note: given("note") }),
    expires_in_seconds: Number(given("life")),
    max_uses: Number(given("uses")),
    with_code: isOn(form, "with-code"),
  };
}

function MadeLink({ made: { url, code }, onDone }: { made: CreatedLink; onDone: () => void }) {
  const { connectLinks: texts } = useTexts();
  return (
    <>
      <SecretOnce label={texts.address} secret={url} />
      {code !== null && (
        <section aria-label={texts.code}>
          <p>{texts.codeText}</p>
          <pre className="code">{code}</pre>
        </section>
      )}
      <div className="row">
        <span className="space" />
        <Button className="button primary" onPress={onDone}>
          {texts.done}
        </Button>
      </div>
    </>
  );
}
