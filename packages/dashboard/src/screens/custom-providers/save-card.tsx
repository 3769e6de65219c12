import type { UseMutationResult } from "@tanstack/react-query";
import { configPaths } from "../../data/custom-providers/config-fields.ts";
import type { CustomProvider } from "../../data/custom-providers/custom-providers.ts";
import {
  aboutFields,
  callFields,
  type EntryFault,
  faultsElsewhere,
  modeFields,
  readText,
} from "../../data/custom-providers/entry.ts";
import type { Entry } from "../../data/custom-providers/entry-modes.ts";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { CodeButton, curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton, ScopeNote } from "../../parts/scoped-button.tsx";
import { customProviderTexts } from "../../texts/screens/custom-providers.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { WRITE } from "./provider-words.ts";

/** Whether the entry is valid, the faults that no field shows, and the button that saves it. */
export function SaveCard({
  environment,
  entry,
  faults,
  isBegun,
  isForm,
  isChecked,
  isReady,
  known,
  save,
  error,
}: {
  environment: string;
  entry: Entry;
  faults: readonly EntryFault[];
  isBegun: boolean;
  isForm: boolean;
  isChecked: boolean;
  isReady: boolean;
  known: CustomProvider | undefined;
  save: Pick<UseMutationResult<void, Error, boolean>, "isPending" | "isSuccess">;
  error: Error | null;
}) {
  const { tables } = useTexts();
  const texts = useTextsOf(customProviderTexts);
  const fields = [...aboutFields, ...callFields, ...modeFields(entry)];
  const shown = fields.filter((field) => readText(entry, field) !== undefined);
  const listed = isForm
    ? faultsElsewhere(faults, [...shown.map(({ path }) => path), ...configPaths(entry)])
    : faults;
  const state = faults.length === 0 ? texts.valid : texts.faults(formatNumber(faults.length));
  return (
    <Card title={texts.save}>
      <div className="stack padded">
        {error !== null && <FaultBanner error={error} />}
        {known !== undefined && <p className="soft">{texts.updateText}</p>}
        {listed.length > 0 && (
          <ul className="fault">
            {listed.map(({ path, message }) => (
              <li key={`${path} ${message}`}>{plainText(`${path} ${message}`, 500)}</li>
            ))}
          </ul>
        )}
        <ScopeNote scope={WRITE} />
        <div className="row">
          <ScopedButton
            scope={WRITE}
            type="submit"
            look="primary"
            isDisabled={!isReady || !isChecked || faults.length > 0}
            isPending={save.isPending}
          >
            {known === undefined ? texts.create : texts.update}
          </ScopedButton>
          <CodeButton examples={examplesOf(environment, entry, known)} />
          <span role="status">
            {save.isSuccess
              ? tables.saved
              : isBegun && error === null && (isChecked ? state : texts.checking)}
          </span>
        </div>
      </div>
    </Card>
  );
}

function examplesOf(environment: string, entry: Entry, known: CustomProvider | undefined) {
  const body = { entry };
  const json = JSON.stringify(body);
  if (known === undefined) {
    return [
      curlOf("createCustomProvider", environment, { body }),
      nodeOf(environment, `customProviders.create(${json})`),
    ];
  }
  const { slug } = known;
  return [
    curlOf("updateCustomProvider", environment, { params: { slug }, body }),
    nodeOf(environment, `customProviders.update(${JSON.stringify(slug)}, ${json})`),
  ];
}
