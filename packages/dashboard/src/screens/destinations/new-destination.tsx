import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { createDestination, type NewDestination } from "../../data/records/destinations.ts";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { LinesInput, linesOf } from "../../parts/forms/lines-input.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { isOn, ToggleInput } from "../../parts/forms/toggle-input.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { destinationTexts } from "../../texts/screens/destinations.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { BucketInputs, bucketOf } from "./bucket-inputs.tsx";

/** Where the values of the fields are in the call. */
const valuePaths = {
  ca: "ca_certificate",
};

type Type = NewDestination["type"];

/** Asks for the table or the bucket; deliveries begin at once unless it is created paused. */
export function NewDestinationButton() {
  const texts = useTextsOf(destinationTexts);
  return (
    <DialogButton
      label={texts.add}
      title={texts.addTitle}
      look="primary"
      scope="environment:destinations:write"
      isWide
    >
      {(close) => <NewDestinationForm onDone={close} />}
    </DialogButton>
  );
}

function NewDestinationForm({ onDone }: { onDone: () => void }) {
  const texts = useTextsOf(destinationTexts);
  const { name: environment } = useEnvironment();
  const [type, setType] = useState<Type>("postgres");
  const make = useMutation({
    mutationFn: async (body: NewDestination) => await createDestination(environment, body),
    onSuccess: onDone,
    // What was sent holds a password: nothing keeps it once the dialog is closed.
    gcTime: 0,
  });
  return (
    <ApiForm
      className="stack"
      error={make.error}
      values={valuePaths}
      onSend={(form) => make.mutate(bodyOf(form, type))}
    >
      <p>{texts.addText}</p>
      <TextInput
        autoFocus
        label={texts.name}
        name="name"
        autoComplete="off"
        help={texts.nameHelp}
      />
      <ChoiceInput
        label={texts.type}
        value={type}
        choices={[
          { id: "postgres", text: texts.types.postgres },
          { id: "s3", text: texts.types.s3 },
        ]}
        onChange={(value) => setType(value === "s3" ? "s3" : "postgres")}
      />
      {type === "s3" ? <BucketInputs /> : <TableInputs />}
      <div className="halves">
        <LinesInput label={texts.models} name="models" help={texts.modelsHelp} />
        <LinesInput label={texts.integrations} name="integrations" help={texts.integrationsHelp} />
      </div>
      <LinesInput label={texts.ca} name="ca" help={texts.caHelp} />
      <ToggleInput name="paused" label={texts.isPaused} initial={false} />
      <div className="row">
        <Button className="button primary" type="submit" isPending={make.isPending}>
          {texts.make}
        </Button>
      </div>
    </ApiForm>
  );
}

function TableInputs() {
  const texts = useTextsOf(destinationTexts);
  return (
    <>
      <TextInput
        label={texts.url}
        name="url"
        type="password"
        autoComplete="off"
        help={texts.urlHelp}
      />
      <div className="halves">
        <TextInput
          label={texts.schema}
          name="schema"
          autoComplete="off"
          initial="public"
          help={texts.schemaHelp}
        />
        <TextInput label={texts.table} name="table" autoComplete="off" help={texts.tableHelp} />
      </div>
    </>
  );
}

function bodyOf(form: FormData, type: Type): NewDestination {
  const textOf = (name: string) => String(form.get(name) ?? "").trim();
  const [models, integrations] = [linesOf(form, "models"), linesOf(form, "integrations")];
  const [schema, ca] = [textOf("schema"), textOf("ca")];
  const common = {
    name: textOf("name"),
    paused: isOn(form, "paused"),
    ...(models.length === 0 ? {} : { models }),
    ...(integrations.length === 0 ? {} : { integrations }),
    ...(ca === "" ? {} : { ca_certificate: `${ca}\n` }),
  };
  if (type === "s3") return { ...common, ...bucketOf(form) };
  return {
    ...common,
    type: "postgres",
    url: textOf("url"),
    table: textOf("table"),
    ...(schema === "" ? {} : { schema }),
  };
}
