import { MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { plainText } from "../formats.ts";
import { Chip, ChipButton } from "./chip.tsx";
import { ChoiceMenu } from "./choice-menu.tsx";

export interface Choice {
  readonly id: string;
  readonly text: string;
}

/** A filter for some of a few values, with what is chosen in its button. */
export function ChoiceFilter({
  label,
  choices,
  chosen,
  onChange,
}: {
  label: string;
  choices: readonly Choice[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}) {
  // An address can have anything in it.
  const words = chosen.map(
    (id) => choices.find((each) => each.id === id)?.text ?? plainText(id, 40),
  );
  return (
    <Chip label={label} isSet={chosen.length > 0} onClear={() => onChange([])}>
      <MenuTrigger>
        <ChipButton label={label} chosen={chosen.length === 0 ? undefined : words.join(", ")} />
        <Popover className="popover">
          <ChoiceMenu
            aria-label={label}
            selectionMode="multiple"
            selectedKeys={chosen}
            onSelectionChange={(keys) => onChange(keys === "all" ? [] : [...keys].map(String))}
          >
            {choices.map(({ id, text }) => (
              <MenuItem key={id} id={id} className="menu-item">
                {text}
              </MenuItem>
            ))}
          </ChoiceMenu>
        </Popover>
      </MenuTrigger>
    </Chip>
  );
}
