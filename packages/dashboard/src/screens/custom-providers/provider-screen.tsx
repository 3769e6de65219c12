import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  customProviderQuery,
  deleteCustomProvider,
} from "../../data/custom-providers/custom-providers.ts";
import { Badge } from "../../parts/badge.tsx";
import { DetailScreen } from "../../parts/detail-screen.tsx";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { curlOf, nodeCall, nodeOf } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { usePathValues } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { customProviderTexts } from "../../texts/screens/custom-providers.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { EntryEditor } from "./entry-editor.tsx";
import { cataloguePath, WRITE } from "./provider-words.ts";
import { TestCard } from "./test-card.tsx";

/** A provider of the environment's own: its entry, and trying it. */
export function ProviderScreen() {
  const { integrations } = useTexts();
  const texts = useTextsOf(customProviderTexts);
  const { name: environment } = useEnvironment();
  const { provider: slug = "" } = usePathValues();
  const query = useQuery(customProviderQuery(environment, slug));
  return (
    <DetailScreen
      query={query}
      title={(provider) => String(provider?.entry["display_name"] ?? slug)}
      parent={{ text: integrations.catalogue, target: { to: cataloguePath(environment) } }}
      badge={({ version }) => <Badge tone="idle">{texts.version(formatNumber(version))}</Badge>}
      examples={[
        curlOf("getCustomProvider", environment, { params: { slug } }),
        nodeOf(environment, `customProviders.get(${JSON.stringify(slug)})`),
      ]}
      actions={() => <DeleteProvider slug={slug} />}
    >
      {(provider) => (
        <div className="stack">
          <TestCard known={provider} />
          <EntryEditor
            key={`${provider.slug} ${provider.version}`}
            beginning={provider.entry}
            known={provider}
          />
        </div>
      )}
    </DetailScreen>
  );
}

function DeleteProvider({ slug }: { slug: string }) {
  const texts = useTextsOf(customProviderTexts);
  const { name: environment } = useEnvironment();
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label={texts.delete}
      scope={WRITE}
      text={texts.deleteText(plainText(slug, 80))}
      confirm={texts.deleteIn(environment)}
      code={[
        curlOf("deleteCustomProvider", environment, { params: { slug } }),
        nodeCall(environment, "customProviders.delete", slug),
      ]}
      onConfirm={async () => {
        await deleteCustomProvider(environment, slug);
        await navigate({ to: cataloguePath(environment) });
      }}
    />
  );
}
