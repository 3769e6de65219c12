import { SaveForm } from "../../parts/forms/save-form.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { numberOf, WithSettings, WRITE_SETTINGS } from "./with-settings.tsx";

/** How long records and webhooks are kept. */
export function RetentionTab() {
  const { settings: texts } = useTexts();
  return (
    <WithSettings>
      {({ retention }, change) => (
        <SaveForm
          title={texts.retentionTitle}
          scope={WRITE_SETTINGS}
          onSave={async (form) =>
            await change({
              retention: {
                records_prune_days: numberOf(form, "prune"),
                records_delete_days: numberOf(form, "remove"),
                webhooks_days: numberOf(form, "webhooks") ?? Number.NaN,
              },
            })
          }
        >
          <TextInput
            isOptional
            isNumber
            label={texts.prune}
            name="prune"
            autoComplete="off"
            help={texts.pruneHelp}
            initial={String(retention.records_prune_days ?? "")}
          />
          <TextInput
            isOptional
            isNumber
            label={texts.remove}
            name="remove"
            autoComplete="off"
            help={texts.removeHelp}
            initial={String(retention.records_delete_days ?? "")}
          />
          <TextInput
            isNumber
            label={texts.webhookDays}
            name="webhooks"
            autoComplete="off"
            help={texts.webhookDaysHelp}
            initial={String(retention.webhooks_days)}
          />
        </SaveForm>
      )}
    </WithSettings>
  );
}
