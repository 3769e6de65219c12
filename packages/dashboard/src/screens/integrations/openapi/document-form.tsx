import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Form } from "react-aria-components/Form";
import { type ApiDocument, setApiDocument } from "../../../data/agents/api-documents.ts";
import { callApi } from "../../../data/api.ts";
import { LinesInput, linesOf } from "../../../parts/forms/lines-input.tsx";
import { TextInput } from "../../../parts/forms/text-input.tsx";
import { FaultBanner } from "../../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../../parts/scoped-button.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { useTexts } from "../../../texts/use-texts.ts";

const SCOPE = "environment:agents:write";

/** Sends a document, from a file or an address, in place of the one that there is. */
export function DocumentForm({
  integration,
  known,
  onSaved,
}: {
  integration: string;
  known: ApiDocument | null;
  onSaved: () => void;
}) {
  const { apiDocuments: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const id = useId();
  const [file, setFile] = useState<File>();
  const save = useMutation({
    mutationFn: async (form: FormData) => {
      const url = String(form.get("url") ?? "").trim();
      const names = { include: linesOf(form, "include"), exclude: linesOf(form, "exclude") };
      const effects = Object.fromEntries(linesOf(form, "effects").map(toEffect));
      const body = Object({
        ...(file === undefined ? { url } : { document: await file.text() }),
        ...(names.include.length === 0 ? {} : { include: names.include }),
        ...(names.exclude.length === 0 ? {} : { exclude: names.exclude }),
        ...(Object.keys(effects).length === 0 ? {} : { effects }),
      });
      const params = { uniqueKey: integration };
      const { data } = await callApi("putApiDocument", { environment, params, body });
      setApiDocument(environment, integration, data);
      onSaved();
    },
  });
  return (
    <Form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(new FormData(event.currentTarget));
      }}
    >
      <p className="soft">{texts.formText}</p>
      {save.isError && <FaultBanner error={save.error} />}
      <div className="text-field">
        <label className="label" htmlFor={id}>
          {texts.file}
        </label>
        <input
          id={id}
          type="file"
          accept=".json,.yaml,.yml"
          onChange={(event) => setFile(event.target.files?.[0])}
        />
      </div>
      <TextInput
        label={texts.url}
        name="url"
        autoComplete="off"
        isOptional
        help={texts.urlHelp}
        initial={known?.source_url ?? ""}
      />
      <LinesInput
        label={texts.include}
        name="include"
        help={texts.includeHelp}
        initial={known?.include ?? []}
      />
      <LinesInput
        label={texts.exclude}
        name="exclude"
        help={texts.excludeHelp}
        initial={known?.exclude ?? []}
      />
      <LinesInput
        label={texts.effects}
        name="effects"
        help={texts.effectsHelp}
        initial={Object.entries(known?.effects ?? {}).map((pair) => pair.join("="))}
      />
      <div className="row">
        <ScopedButton scope={SCOPE} type="submit" look="primary" isPending={save.isPending}>
          {texts.send}
        </ScopedButton>
      </div>
    </Form>
  );
}

function toEffect(line: string): [string, string] {
  const at = line.lastIndexOf("=");
  return [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()];
}
