import { useMutation } from "@tanstack/react-query";
import {
  changeDestination,
  type Destination,
  type DestinationChange,
} from "../../data/records/destinations.ts";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { LinesInput, linesOf } from "../../parts/forms/lines-input.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { destinationTexts } from "../../texts/screens/destinations.ts";
import { useTextsOf } from "../../texts/use-texts.ts";

/** Its settings; only those that differ are sent, since other filters empty the table. */
export function ChangeDestination({ destination }: { destination: Destination }) {
  const texts = useTextsOf(destinationTexts);
  const { name: environment } = useEnvironment();
  const save = useMutation({
    mutationFn: async (change: DestinationChange) => {
      if (Object.keys(change).length === 0) return;
      await changeDestination(environment, destination.id, change);
    },
    gcTime: 0,
  });
  return (
    <Card title={texts.change}>
      <ApiForm
        className="stack padded"
        error={save.error}
        onSend={(form) => save.mutate(changeOf(form, destination))}
      >
        <TextInput
          label={texts.name}
          name="name"
          autoComplete="off"
          initial={destination.name}
          help={texts.nameHelp}
        />
        {destination.type === "s3" ? (
          <div className="halves">
            <TextInput
              isOptional
              label={texts.newAccessKeyId}
              name="access_key_id"
              autoComplete="off"
              help={texts.newKeyHelp}
            />
            <TextInput
              isOptional
              label={texts.newSecretAccessKey}
              name="secret_access_key"
              type="password"
              autoComplete="off"
              help={texts.newKeyHelp}
            />
          </div>
        ) : (
          <TextInput
            isOptional
            label={texts.newUrl}
            name="url"
            type="password"
            autoComplete="off"
            help={texts.newUrlHelp}
          />
        )}
        <LinesInput
          label={texts.models}
          name="models"
          help={texts.modelsHelp}
          initial={destination.models ?? []}
        />
        <LinesInput
          label={texts.integrations}
          name="integrations"
          help={texts.integrationsHelp}
          initial={destination.integrations ?? []}
        />
        <p className="soft">{texts.saveText}</p>
        <div className="row">
          <ScopedButton
            scope="environment:destinations:write"
            type="submit"
            isPending={save.isPending}
          >
            {texts.save}
          </ScopedButton>
          <span role="status">{save.isSuccess ? texts.saved : ""}</span>
        </div>
      </ApiForm>
    </Card>
  );
}

function changeOf(form: FormData, known: Destination): DestinationChange {
  const textOf = (field: string) => String(form.get(field) ?? "").trim();
  const name = textOf("name");
  const secrets = (["url", "access_key_id", "secret_access_key"] as const).filter(
    (field) => textOf(field) !== "",
  );
  return {
    ...(name === known.name ? {} : { name }),
    ...Object.fromEntries(secrets.map((field) => [field, textOf(field)])),
    ...filterChange("models", linesOf(form, "models"), known.models),
    ...filterChange("integrations", linesOf(form, "integrations"), known.integrations),
  };
}

/** Nothing where the names are the same; null takes the filter away. */
function filterChange<Field extends "models" | "integrations">(
  field: Field,
  names: string[],
  known: readonly string[] | null,
): { readonly [Name in Field]?: string[] | null } {
  if (names.join("\n") === (known ?? []).join("\n")) return {};
  return Object({ [field]: names.length === 0 ? null : names });
}
