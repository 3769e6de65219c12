import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Label } from "react-aria-components/Label";
import { Radio, RadioGroup } from "react-aria-components/RadioGroup";
import { type ApiDocument, setApiDocument } from "../../../data/agents/api-documents.ts";
import { callApi } from "../../../data/api.ts";
import { ApiForm } from "../../../parts/forms/api-form.tsx";
import { LinesInput, linesOf } from "../../../parts/forms/lines-input.tsx";
import { TextInput } from "../../../parts/forms/text-input.tsx";
import { ScopedButton } from "../../../parts/scoped-button.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { apiDocumentTexts } from "../../../texts/integrations/api-documents.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";

const ways = ["file", "text", "url"] as const;

type Way = (typeof ways)[number];

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
  const texts = useTextsOf(apiDocumentTexts);
  const { name: environment } = useEnvironment();
  const id = useId();
  const [file, setFile] = useState<File>();
  const [way, setWay] = useState<Way>(known?.source_url == null ? "file" : "url");
  const save = useMutation({
    mutationFn: async (form: FormData) => {
      const names = { include: linesOf(form, "include"), exclude: linesOf(form, "exclude") };
      const effects = Object.fromEntries(linesOf(form, "effects").map(toEffect));
      const body = Object({
        ...(await readSource(way, form, file)),
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
    <ApiForm className="stack" error={save.error} onSend={(form) => save.mutate(form)}>
      <p className="soft">{texts.formText}</p>
      <RadioGroup
        className="choices"
        value={way}
        onChange={(value) => setWay(ways.find((each) => each === value) ?? "file")}
      >
        <Label className="label">{texts.source}</Label>
        <div className="row">
          {ways.map((each) => (
            <Radio key={each} className="choice" value={each}>
              {texts.ways[each]}
            </Radio>
          ))}
        </div>
      </RadioGroup>
      {way === "file" && (
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
      )}
      {way === "text" && (
        <LinesInput label={texts.pasted} name="document" help={texts.pastedHelp} />
      )}
      {way === "url" && (
        <TextInput
          label={texts.url}
          name="url"
          autoComplete="off"
          help={texts.urlHelp}
          initial={known?.source_url ?? ""}
        />
      )}
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
    </ApiForm>
  );
}

/** What the server is to read; without a file it says what is missing. */
async function readSource(way: Way, form: FormData, file: File | undefined) {
  if (way === "url") return { url: String(form.get("url") ?? "").trim() };
  const document = way === "text" ? String(form.get("document") ?? "") : await file?.text();
  return document === undefined ? {} : { document };
}

function toEffect(line: string): [string, string] {
  const at = line.lastIndexOf("=");
  return [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()];
}
