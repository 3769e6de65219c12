import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Form } from "react-aria-components/Form";
import { callApi } from "../../data/api.ts";
import { queryClient } from "../../data/query-client.ts";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { REVOKE, revocationPage } from "./revocation-words.ts";

/** A field of the form, and what the API calls it. */
const fields = [
  ["integration", "provider_config_key"],
  ["connectionId", "connection_id"],
  ["endUser", "end_user_id"],
  ["tags", "tags"],
  ["from", "from"],
  ["to", "to"],
  ["keyId", "key_id"],
] as const;

/** Begins with a rehearsal: what it would do is looked at before it is done. */
export function NewRevocationButton() {
  const { revocations: texts } = useTexts();
  const may = useMay(REVOKE);
  return (
    <DialogButton label={texts.rehearse} look="primary" isDisabled={!may} isWide>
      {(close) => <NewRevocation onDone={close} />}
    </DialogButton>
  );
}

function NewRevocation({ onDone }: { onDone: () => void }) {
  const { revocations: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const navigate = useNavigate();
  const begin = useMutation({
    mutationFn: async (form: FormData) => {
      const reason = String(form.get("reason")).trim();
      const body = {
        ...{ match: toMatch(form), rehearsal: true },
        ...(reason === "" ? {} : { reason }),
      };
      return (await callApi("startRevocation", { environment, body: Object(body) })).data;
    },
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: ["revocations", environment] });
      onDone();
      await navigate(revocationPage(environment, id));
    },
  });
  return (
    <Form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        begin.mutate(new FormData(event.currentTarget));
      }}
    >
      <p className="soft">{texts.rehearseText}</p>
      {begin.isError && <FaultBanner error={begin.error} />}
      {fields.map(([name], place) => (
        <TextInput
          key={name}
          isOptional
          autoFocus={place === 0}
          label={texts[name]}
          {...(texts.helps[name] === undefined ? {} : { help: texts.helps[name] })}
          name={name}
          autoComplete="off"
        />
      ))}
      <TextInput
        isOptional
        label={texts.why}
        name="reason"
        autoComplete="off"
        help={texts.whyHelp}
      />
      <div className="row">
        <ScopedButton scope={REVOKE} look="primary" type="submit" isPending={begin.isPending}>
          {texts.begin}
        </ScopedButton>
      </div>
    </Form>
  );
}

function toMatch(form: FormData): Record<string, unknown> {
  const given = fields.flatMap(([name, wire]) => {
    const text = String(form.get(name)).trim();
    return text === "" ? [] : [[wire, wire === "tags" ? toTags(text) : text]];
  });
  return Object.fromEntries(given);
}

function toTags(text: string): Record<string, string> {
  const pairs = text.split(",").map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return [name.trim(), value.join("=").trim()];
  });
  return Object.fromEntries(pairs);
}
