import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Autocomplete } from "react-aria-components/Autocomplete";
import { Dialog } from "react-aria-components/Dialog";
import { Input } from "react-aria-components/Input";
import { Menu, MenuItem } from "react-aria-components/Menu";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { SearchField } from "react-aria-components/SearchField";
import type { Me, OwnEnvironment } from "../data/me.ts";
import { useTexts } from "../texts/use-texts.ts";
import { addressOfEntry, menuEntries } from "./screens.ts";

interface Choice {
  readonly id: string;
  readonly text: string;
  readonly to: string;
}

const operationId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Leads to any screen of any environment, and to an operation whose id is pasted. */
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
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const words = typed.trim().toLowerCase();
  const choices = [
    ...(operationId.test(words) && environment !== undefined
      ? [
          {
            id: words,
            text: texts.openOperation(words),
            to: `/${encodeURIComponent(environment.name)}/operations/${words}`,
          },
        ]
      : []),
    ...listScreens(me, environment, texts.screens).filter(({ text }) =>
      text.toLowerCase().includes(words),
    ),
  ];
  return (
    <ModalOverlay className="overlay top" isOpen isDismissable onOpenChange={onClose}>
      <Modal className="dialog palette">
        <Dialog aria-label={texts.palette}>
          <Autocomplete inputValue={typed} onInputChange={setTyped}>
            <SearchField aria-label={texts.palette} autoFocus>
              <Input className="input" placeholder={texts.palettePlaceholder} />
            </SearchField>
            <Menu
              className="menu"
              aria-label={texts.palette}
              items={choices}
              renderEmptyState={() => <p className="soft padded">{texts.paletteEmpty}</p>}
              onAction={(key) => {
                const choice = choices.find(({ id }) => id === key);
                onClose();
                if (choice !== undefined) void navigate({ to: choice.to });
              }}
            >
              {({ text }: Choice) => (
                <MenuItem className="menu-item" textValue={text}>
                  {text}
                </MenuItem>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
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
