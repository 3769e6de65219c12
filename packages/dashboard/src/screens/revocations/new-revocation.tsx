import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { callApi } from "../../data/api.ts";
import { queryClient } from "../../data/query-client.ts";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { MomentInput, toMoment } from "../../parts/forms/moment-input.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { revocationTexts } from "../../texts/screens/revocations.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
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

const valuePaths = Object.fromEntries(fields.map(([name, wire]) => [name, `match.${wire}`]));

/** Begins with a rehearsal: what it would do is looked at before it is done. */
export function NewRevocationButton() {
  const texts = useTextsOf(revocationTexts);
  return (
    <DialogButton label={texts.rehearse} look="primary" scope={REVOKE} isWide>
      {(close) => <NewRevocation onDone={close} />}
    </DialogButton>
  );
}

function NewRevocation({ onDone }: { onDone: () => void }) {
  const texts = useTextsOf(revocationTexts);
  const { name: environment } = useEnvironment();
  const navigate = useNavigate();
  const [moments, setMoments] = useState({ from: "", to: "" });
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
    <ApiForm
      className="stack"
      error={begin.error}
      values={valuePaths}
      onSend={(form) => begin.mutate(form)}
    >
      <p className="soft">{texts.rehearseText}</p>
      {fields.map(([name], place) =>
        name === "from" || name === "to" ? (
          <MomentInput
            key={name}
            label={texts[name]}
            name={name}
            value={moments[name]}
            onChange={(value) => setMoments({ ...moments, [name]: value })}
          />
        ) : (
          <TextInput
            key={name}
            isOptional
            autoFocus={place === 0}
            label={texts[name]}
            {...(texts.helps[name] === undefined ? {} : { help: texts.helps[name] })}
            name={name}
            autoComplete="off"
          />
        ),
      )}
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
    </ApiForm>
  );
}

function toMatch(form: FormData): Record<string, unknown> {
  const given = fields.flatMap(([name, wire]) => {
    const text = String(form.get(name)).trim();
    return text === "" ? [] : [[wire, wireValueOf(name, text)]];
  });
  return Object.fromEntries(given);
}

function wireValueOf(name: (typeof fields)[number][0], text: string) {
  if (name === "tags") return toTags(text);
  return name === "from" || name === "to" ? toMoment(text) : text;
}

function toTags(text: string): Record<string, string> {
  const pairs = text.split(",").map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return [name.trim(), value.join("=").trim()];
  });
  return Object.fromEntries(pairs);
}
