import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { integrationsQuery, type Provider, providersQuery } from "../../data/integrations.ts";
import { Badge } from "../../parts/badge.tsx";
import { SearchBox } from "../../parts/filters/search-box.tsx";
import { SingleFilter } from "../../parts/filters/single-filter.tsx";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { Logo } from "../../parts/logo.tsx";
import { CodeButton, curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { Empty } from "../../parts/panels/empty.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { ScreenHead } from "../../shell/screen-head.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { categoryTexts } from "../../texts/screens/categories.ts";
import { customProviderTexts } from "../../texts/screens/custom-providers.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { newProviderPage } from "../custom-providers/provider-words.ts";
import { nameOfMode } from "./auth-mode-words.ts";
import { categoryChoices } from "./category-choices.ts";
import { NewIntegration } from "./new-integration.tsx";

/** Every provider that can be integrated; one that is chosen is set up in a dialog. */
export function CatalogueScreen() {
  const { integrations: texts, authModes, shell } = useTexts();
  const customProviders = useTextsOf(customProviderTexts);
  const categoryNames = useTextsOf(categoryTexts);
  const { name: environment } = useEnvironment();
  const { words, change } = useAddress();
  const query = useQuery(providersQuery(environment));
  const { q = "", auth, category, add } = words;
  const all = useMemo(() => query.data ?? [], [query.data]);
  const found = useMemo(() => findProviders(all, { q, auth, category }), [all, q, auth, category]);
  const { data: integrations = [] } = useQuery(integrationsQuery(environment));
  const chosen = all.find(({ name }) => name === add);
  return (
    <>
      <ScreenHead
        title={texts.catalogue}
        parent={{
          text: texts.title,
          target: { to: `${homeOf(environment)}/integrations` },
        }}
      >
        <CodeButton
          examples={[curlOf("listProviders", environment), nodeOf(environment, "providers.list()")]}
        />
        <AddCustom label={customProviders.add} />
      </ScreenHead>
      <div className="filters">
        <SearchBox
          isInstant
          label={texts.catalogueSearch}
          value={q}
          onSearch={(text) => change({ q: text }, { replace: true })}
        />
        <SingleFilter
          label={texts.authMode}
          chosen={auth}
          choices={listOf(
            all.map(({ auth_mode: mode }) => mode),
            (mode) => nameOfMode(mode, authModes),
          )}
          onChange={(mode) => change({ auth: mode })}
        />
        <SingleFilter
          label={texts.category}
          chosen={category}
          choices={categoryChoices(
            all.flatMap(({ categories = [] }) => categories),
            categoryNames,
          )}
          onChange={(name) => change({ category: name })}
        />
        {query.isSuccess && (
          <span className="soft" role="status">
            {texts.providers(formatNumber(found.length))}
          </span>
        )}
      </div>
      <div className="page-scroll">
        {query.isLoading && <p className="soft">{shell.loading}</p>}
        {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
        {query.isSuccess && found.length === 0 && (
          <Empty title={texts.noProvider} text={texts.noProviderText}>
            <AddCustom
              label={q === "" ? customProviders.add : customProviders.addNamed(plainText(q, 60))}
              name={q}
            />
          </Empty>
        )}
        <ul className="provider-grid">
          {found.map((provider) => (
            <li key={provider.name}>
              <Go target={{ to: ".", search: { ...words, add: provider.name } }}>
                <Logo name={provider.display_name} logo={provider.logo_url} />
                <span className="provider-name">
                  <strong>{plainText(provider.display_name, 60)}</strong>
                  <span className="row">
                    <span className="soft">{nameOfMode(provider.auth_mode, authModes)}</span>
                    <Marks
                      provider={provider}
                      integrations={
                        integrations.filter((own) => own.provider === provider.name).length
                      }
                    />
                  </span>
                </span>
              </Go>
            </li>
          ))}
        </ul>
      </div>
      {chosen !== undefined && (
        <NewIntegration provider={chosen} onClose={() => change({ add: undefined })} />
      )}
    </>
  );
}

/** Leads to the form for a provider that the catalogue lacks. */
function AddCustom({ label, name }: { label: string; name?: string }) {
  const { name: environment } = useEnvironment();
  return (
    <Go className="button" target={newProviderPage(environment, name)}>
      {label}
    </Go>
  );
}

function Marks({ provider, integrations }: { provider: Provider; integrations: number }) {
  const { integrations: texts } = useTexts();
  if (integrations > 0) {
    return <Badge tone="good">{texts.inUse(formatNumber(integrations))}</Badge>;
  }
  if (provider.deprecated !== undefined) return <Badge tone="warn">{texts.deprecated}</Badge>;
  if (provider.custom_version !== undefined) return <Badge tone="run">{texts.own}</Badge>;
  if (provider.unverified === true) return <Badge tone="idle">{texts.unverified}</Badge>;
  return null;
}

/** Those whose name or id has the words; those that begin with them first. */
function findProviders(
  all: readonly Provider[],
  { q, auth, category }: { q: string; auth: string | undefined; category: string | undefined },
): readonly Provider[] {
  const words = q.toLowerCase();
  const rank = ({ name, display_name: title }: Provider) =>
    name.startsWith(words) || title.toLowerCase().startsWith(words) ? 0 : 1;
  return all
    .filter(({ name, display_name: title, auth_mode: mode, categories = [] }) => {
      const hasWords = `${name} ${title}`.toLowerCase().includes(words);
      return (
        hasWords &&
        (auth === undefined || auth === mode) &&
        (category === undefined || categories.includes(category))
      );
    })
    .toSorted((a, b) => rank(a) - rank(b) || a.display_name.localeCompare(b.display_name));
}

function listOf(values: readonly string[], nameOf = (value: string) => value) {
  const choices = [...new Set(values)].map((id) => ({ id, text: nameOf(id) }));
  return choices.toSorted((a, b) => a.text.localeCompare(b.text, "en"));
}
