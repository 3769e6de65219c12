import { SaveForm } from "../../parts/forms/save-form.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { LastChange } from "./last-change.tsx";
import { numberOf, WithSettings, WRITE_SETTINGS } from "./with-settings.tsx";

/** Where the values of the fields are in the call. */
const valuePaths = {
  prune: "retention.records_prune_days",
  remove: "retention.records_delete_days",
  webhooks: "retention.webhooks_days",
};

/** How long records and webhooks are kept. */
export function RetentionTab() {
  const { settings: texts } = useTexts();
  return (
    <WithSettings>
      {({ retention }, change) => (
        <SaveForm
          values={valuePaths}
          title={texts.retentionTitle}
          scope={WRITE_SETTINGS}
          lastChange={<LastChange of="settings" names={["retention"]} />}
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
