import { Heading } from "@jackfield/ui/heading.tsx";
import { NextIcon, SearchIcon } from "@jackfield/ui/icons.tsx";
import { ServiceLogo } from "@jackfield/ui/service-logo.tsx";
import { useId, useMemo, useState } from "react";
import type { Integration } from "../platform.ts";
import { useTexts } from "../texts/use-texts.tsx";

const SEARCH_FROM = 7;
const GROUP_FROM = 24;

/** The list of services that the session allows. */
export function ChooseView({
  integrations,
  opening,
  onChoose,
}: {
  integrations: readonly Integration[];
  /** Key of the service whose form is on its way. */
  opening: string | undefined;
  onChoose: (integration: Integration) => void;
}) {
  const texts = useTexts();
  const [words, setWords] = useState("");
  const searchId = useId();
  const found = useMemo(() => findServices(integrations, words), [integrations, words]);
  return (
    <>
      <Heading>{texts.chooseTitle}</Heading>
      <p className="lead">{texts.chooseText}</p>
      {integrations.length >= SEARCH_FROM && (
        <div className="search">
          <label className="hidden" htmlFor={searchId}>
            {texts.search}
          </label>
          <SearchIcon />
          <input
            id={searchId}
            type="search"
            autoComplete="off"
            placeholder={texts.search}
            value={words}
            onChange={(event) => setWords(event.target.value)}
            onKeyDown={(event) => {
              const [first, second] = found;
              // Enter that ends an input method's composition chooses a character, no service.
              if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
              if (first !== undefined && second === undefined) onChoose(first);
            }}
          />
        </div>
      )}
      <p className="hidden" role="status">
        {words === "" ? "" : texts.matches(found.length)}
      </p>
      {found.length === 0 && <p className="lead">{texts.noMatch(words)}</p>}
      {groupServices(found).map(([letter, services]) => (
        <section key={letter}>
          {letter !== "" && <h2>{letter}</h2>}
          <ul className="services">
            {services.map((integration) => (
              <li key={integration.unique_key}>
                <button
                  type="button"
                  className="service"
                  aria-busy={opening === integration.unique_key}
                  onClick={() => onChoose(integration)}
                >
                  <ServiceLogo service={integration} size="small" />
                  <span className="name">
                    {integration.display_name}
                    {integration.detail !== undefined && (
                      <span className="detail"> {integration.detail}</span>
                    )}
                  </span>
                  {opening === integration.unique_key ? (
                    <span className="spinner" aria-hidden="true" />
                  ) : (
                    <NextIcon />
                  )}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function findServices(integrations: readonly Integration[], words: string): Integration[] {
  const wanted = words.trim().toLocaleLowerCase();
  return integrations
    .filter(({ display_name: name, unique_key: key }) =>
      `${name} ${key}`.toLocaleLowerCase().includes(wanted),
    )
    .toSorted((a, b) => a.display_name.localeCompare(b.display_name));
}

/** A long list is grouped by first letter; a short one is one group without a name. */
function groupServices(found: readonly Integration[]): [string, Integration[]][] {
  if (found.length < GROUP_FROM) return [["", [...found]]];
  const groups = Map.groupBy(found, ({ display_name: name }) => {
    const letter = name.charAt(0).normalize("NFD").charAt(0).toLocaleUpperCase();
    return /\p{L}/u.test(letter) ? letter : "#";
  });
  return [...groups];
}
