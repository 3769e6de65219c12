import { MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { useTexts } from "../../texts/use-texts.ts";
import { plainText } from "../formats.ts";
import { Chip, ChipButton } from "./chip.tsx";
import type { Choice } from "./choice-filter.tsx";
import { ChoiceMenu } from "./choice-menu.tsx";

/** A filter for one of a few values, with the chosen one in its button. */
export function SingleFilter({
  label,
  choices,
  chosen,
  onChange,
}: {
  label: string;
  choices: readonly Choice[];
  chosen: string | undefined;
  onChange: (chosen: string | undefined) => void;
}) {
  const { tables } = useTexts();
  const word = choices.find(({ id }) => id === chosen)?.text ?? chosen;
  return (
    <Chip label={label} isSet={chosen !== undefined} onClear={() => onChange(undefined)}>
      <MenuTrigger>
        <ChipButton label={label} chosen={word === undefined ? undefined : plainText(word, 40)} />
        <Popover className="popover">
          <ChoiceMenu
            aria-label={label}
            selectionMode="single"
            selectedKeys={chosen === undefined ? [] : [chosen]}
            renderEmptyState={() => <p className="soft padded">{tables.none}</p>}
            onSelectionChange={(keys) =>
              onChange(keys === "all" ? undefined : [...keys].map(String)[0])
            }
          >
            {choices.map(({ id, text }) => (
              <MenuItem key={id} id={id} className="menu-item" textValue={text}>
                {plainText(text, 60)}
              </MenuItem>
            ))}
          </ChoiceMenu>
        </Popover>
      </MenuTrigger>
    </Chip>
  );
}
