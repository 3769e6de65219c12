import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { SaveForm } from "../../parts/forms/save-form.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { LastChange } from "./last-change.tsx";
import { numberOf, WithSettings, WRITE_SETTINGS } from "./with-settings.tsx";

/** Where the values of the fields are in the call. */
const valuePaths = {
  limit: "async_action_limit",
  guard: "delete_guard",
};

const kinds = ["input", "output", "records", "metadata", "checkpoint"] as const;
const modes = ["off", "warn", "fail"] as const;
/** Only a record can be set aside. */
const recordModes = ["off", "warn", "quarantine", "fail"] as const;
const PER_CENT = 100;

/** What runs may do: how many at once, with which values, and how much they may delete. */
export function LimitsTab() {
  const { settings: texts } = useTexts();
  return (
    <WithSettings>
      {({ validation, async_action_limit: limit, delete_guard: guard }, change) => (
        <div className="stack measure">
          <SaveForm
            values={valuePaths}
            title={texts.actionsTitle}
            scope={WRITE_SETTINGS}
            lastChange={<LastChange of="settings" names={["async_action_limit"]} />}
            onSave={async (form) =>
              await change({ async_action_limit: numberOf(form, "limit") ?? Number.NaN })
            }
          >
            <TextInput
              isNumber
              label={texts.actionLimit}
              name="limit"
              autoComplete="off"
              help={texts.actionLimitHelp}
              initial={String(limit)}
            />
          </SaveForm>
          <SaveForm
            values={valuePaths}
            title={texts.validationTitle}
            scope={WRITE_SETTINGS}
            lastChange={<LastChange of="settings" names={["validation"]} />}
            onSave={async (form) => {
              const chosen = kinds.map((kind) => [kind, String(form.get(kind))]);
              await change({ validation: Object.fromEntries(chosen) });
            }}
          >
            {kinds.map((kind) => (
              <ChoiceInput
                key={kind}
                name={kind}
                label={texts.validation[kind]}
                initial={validation[kind]}
                choices={(kind === "records" ? recordModes : modes).map((id) => ({
                  id,
                  text: texts.modes[id],
                }))}
                help={texts.validationHelp[kind]}
              />
            ))}
          </SaveForm>
          <SaveForm
            values={valuePaths}
            title={texts.guardTitle}
            scope={WRITE_SETTINGS}
            lastChange={<LastChange of="settings" names={["delete_guard"]} />}
            onSave={async (form) => {
              const share = numberOf(form, "guard");
              await change({ delete_guard: { share: share === null ? null : share / PER_CENT } });
            }}
          >
            <TextInput
              isOptional
              isNumber
              label={texts.guard}
              name="guard"
              autoComplete="off"
              help={texts.guardHelp}
              initial={guard.share === null ? "" : String(guard.share * PER_CENT)}
            />
          </SaveForm>
        </div>
      )}
    </WithSettings>
  );
}
