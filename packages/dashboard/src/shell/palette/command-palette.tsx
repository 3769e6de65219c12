import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Autocomplete } from "react-aria-components/Autocomplete";
import { Dialog } from "react-aria-components/Dialog";
import { Input } from "react-aria-components/Input";
import { Menu, MenuItem } from "react-aria-components/Menu";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { SearchField } from "react-aria-components/SearchField";
import { findById, isId } from "../../data/find/find-by-id.ts";
import { findByText } from "../../data/find/find-by-text.ts";
import type { Me, OwnEnvironment } from "../../data/me.ts";
import { plainText } from "../../parts/formats.ts";
import { useSettled } from "../../parts/forms/use-settled.ts";
import type { Target } from "../../parts/go.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { paletteTexts } from "../../texts/screens/shell/palette.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { addressOfEntry, menuEntries } from "../screens.ts";
import { takeTyped } from "./typed-ahead.ts";

interface Choice extends Target {
  readonly id: string;
  readonly text: string;
  /** What it is, where it is no screen. */
  readonly kind?: string;
}

/** Leads to any screen of any environment, to things by their names, and to what an id names. */
export function CommandPalette({
  me,
  environment,
  onClose,
}: {
  me: Me;
  environment: OwnEnvironment | undefined;
  onClose: () => void;
}) {
  const { shell: texts } = useTexts();
  const own = useTextsOf(paletteTexts);
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const [goesOn, setGoesOn] = useState(false);
  const words = typed.trim();
  const found = useFound(me, environment, words);
  const choices = [
    ...listScreens(me, environment, texts.screens).filter(({ text }) =>
      text.toLowerCase().includes(words.toLowerCase()),
    ),
    ...found.choices,
  ];
  const go = (choice: Choice | undefined) => {
    onClose();
    if (choice === undefined) return;
    const { to, search = {} } = choice;
    void navigate(Object({ to, search }));
  };
  const [first] = choices;
  // Who has pressed Enter wants to be there as soon as it is known where that is: of an id, or typed ahead.
  useEffect(() => {
    if (goesOn && words !== "" && first !== undefined) go(first);
  });
  return (
    <ModalOverlay className="overlay top" isOpen isDismissable onOpenChange={onClose}>
      <Modal className="dialog palette">
        <Dialog aria-label={texts.palette}>
          <Autocomplete
            inputValue={typed}
            onInputChange={(text) => {
              setTyped(text);
              setGoesOn(false);
            }}
          >
            <SearchField
              aria-label={texts.palette}
              autoFocus
              onFocus={() => {
                // Until here keys had nowhere to go.
                const { text, isSent } = takeTyped();
                setTyped((before) => before + text);
                if (isSent) setGoesOn(true);
              }}
              onKeyDown={(event) => {
                if (event.key === "Enter" && isId(words)) setGoesOn(true);
                else event.continuePropagation();
              }}
            >
              <Input className="input" placeholder={own.placeholder} />
            </SearchField>
            {found.error !== null && (
              <FaultBanner error={found.error} onRetry={() => void found.retry()} />
            )}
            <Menu
              className="menu"
              aria-label={texts.palette}
              items={choices}
              renderEmptyState={() => <Nothing words={words} isSearching={found.isSearching} />}
              onAction={(key) => go(choices.find(({ id }) => id === key))}
            >
              {({ text, kind }: Choice) => (
                <MenuItem className="menu-item" textValue={text}>
                  {plainText(text)}
                  {kind !== undefined && (
                    <>
                      <span className="space" />
                      <span className="soft">{kind}</span>
                    </>
                  )}
                </MenuItem>
              )}
            </Menu>
            {found.isSearching && choices.length > 0 && (
              <p className="soft padded" role="status">
                {own.searching}
              </p>
            )}
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Nothing({ words, isSearching }: { words: string; isSearching: boolean }) {
  const own = useTextsOf(paletteTexts);
  if (isSearching) {
    return (
      <p className="soft padded" role="status">
        {own.searching}
      </p>
    );
  }
  if (!isId(words)) return <p className="soft padded">{own.empty}</p>;
  return (
    <div className="padded" role="status">
      <p>{own.nothingHasId(words)}</p>
      <p className="soft">{own.searchedFor}</p>
    </div>
  );
}

/** The shortest text that things are searched by. */
const LEAST_LETTERS = 2;

/** What the server finds for the words; a search that is no longer wanted is given up. */
function useFound(me: Me, current: OwnEnvironment | undefined, words: string) {
  const own = useTextsOf(paletteTexts);
  const settled = useSettled(words);
  const byId = isId(words);
  // An id is pasted, and not typed letter by letter.
  const wanted = byId ? words.toLowerCase() : settled;
  const { environments } = me;
  const query = useQuery({
    queryKey: ["palette", current?.name, wanted],
    queryFn: async ({ signal }): Promise<readonly Choice[]> => {
      if (byId) {
        const found = await findById(wanted, { current, environments, signal });
        return found.map(({ kind, ...target }) => ({
          ...target,
          id: `${kind} ${wanted}`,
          text: wanted,
          kind: own.kinds[kind],
        }));
      }
      if (current === undefined) return [];
      const found = await findByText(current, wanted, signal);
      return found.map(({ kind, ...choice }) => ({
        ...choice,
        id: choice.to,
        kind: own.kinds[kind],
      }));
    },
    enabled: wanted.length >= LEAST_LETTERS,
    retry: false,
    gcTime: 0,
  });
  const isWanted = words.length >= LEAST_LETTERS;
  const isCurrent = wanted === (byId ? words.toLowerCase() : words);
  return {
    choices: isWanted && isCurrent ? (query.data ?? []) : [],
    error: isWanted && isCurrent ? query.error : null,
    isSearching: isWanted && (!isCurrent || query.isFetching),
    retry: query.refetch,
  };
}

/** Screens of this environment by their names, those of the others with theirs. */
function listScreens(
  me: Me,
  current: OwnEnvironment | undefined,
  names: Readonly<Record<string, string>>,
): Choice[] {
  const others = me.environments.filter(({ id }) => id !== current?.id);
  return [...(current === undefined ? [] : [current]), ...others].flatMap((environment) =>
    menuEntries
      .filter(({ isOfAccount }) => isOfAccount !== true || environment === current)
      .map((entry) => ({
        id: `${environment.name}/${entry.path}`,
        text:
          environment === current
            ? String(names[entry.name])
            : `${names[entry.name]} · ${environment.name}`,
        to: addressOfEntry(entry, environment.name),
      })),
  );
}
