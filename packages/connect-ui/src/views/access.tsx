import { useId } from "react";
import { isWebPage } from "../load-page.ts";
import type { App } from "../platform.ts";
import { type Scope, wordsOf } from "../scopes/scope.ts";
import { useTexts } from "../texts/use-texts.tsx";

/** What the provider will be asked for, before the person goes there. */
export function AccessList({ app, scopes }: { app: App | undefined; scopes: readonly Scope[] }) {
  const texts = useTexts();
  const titleId = useId();
  if (scopes.length === 0) return null;
  return (
    <section className="access" aria-labelledby={titleId}>
      <h2 id={titleId}>{texts.accessTitle(app?.name ?? null)}</h2>
      <ScopeList scopes={scopes} />
    </section>
  );
}

/** Scopes in words; one that has none by its name at the provider. */
export function ScopeList({ scopes }: { scopes: readonly Scope[] }) {
  const texts = useTexts();
  const words = new Set(scopes.map((scope) => wordsOf(scope, texts)).filter((text) => text !== ""));
  return (
    <ul>
      {[...words].map((text) => (
        <li key={text}>{text}</li>
      ))}
      {scopes
        .filter(({ meaning }) => meaning === undefined)
        .map(({ name }) => (
          <li key={name}>
            <code>{name}</code>
          </li>
        ))}
    </ul>
  );
}

/** The app's own pages about what it does with the access. */
export function AppTerms({ app }: { app: App | undefined }) {
  const texts = useTexts();
  if (app === undefined) return null;
  const pages = [
    { text: texts.terms, address: app.termsUrl ?? undefined },
    { text: texts.privacy, address: app.privacyUrl ?? undefined },
  ].filter(({ address }) => isWebPage(address));
  if (pages.length === 0) return null;
  return (
    <p className="terms">
      {app.name !== null && <span>{app.name}</span>}
      {pages.map(({ text, address }) => (
        <a key={text} href={address} target="_blank" rel="noopener noreferrer">
          {text}
          <span className="hidden"> ({texts.helpInNewTab})</span>
        </a>
      ))}
    </p>
  );
}
