import { newEntry, tidyEntry } from "../../data/custom-providers/entry.ts";
import { CodeButton, curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { customProviderTexts } from "../../texts/screens/custom-providers.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { EntryEditor } from "./entry-editor.tsx";
import { cataloguePath } from "./provider-words.ts";

const example = { entry: tidyEntry(newEntry("Acme")) };

/** The form for a provider that the catalogue lacks. */
export function NewProviderScreen() {
  const { integrations } = useTexts();
  const texts = useTextsOf(customProviderTexts);
  const { name: environment } = useEnvironment();
  const { name = "" } = useAddress().words;
  return (
    <>
      <ScreenHead
        title={texts.addTitle}
        parent={{ text: integrations.catalogue, target: { to: cataloguePath(environment) } }}
      >
        <CodeButton
          examples={[
            curlOf("createCustomProvider", environment, { body: example }),
            nodeOf(environment, `customProviders.create(${JSON.stringify(example)})`),
          ]}
        />
      </ScreenHead>
      <div className="page-scroll">
        <EntryEditor beginning={newEntry(name)} />
      </div>
    </>
  );
}
