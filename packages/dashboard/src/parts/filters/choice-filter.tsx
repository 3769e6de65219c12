import { Button } from "react-aria-components/Button";
import { Menu, MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { useTexts } from "../../texts/use-texts.ts";

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
  const { tables } = useTexts();
  const words = choices.filter(({ id }) => chosen.includes(id)).map(({ text }) => text);
  return (
    <span className={chosen.length === 0 ? "chip" : "chip set"}>
      <MenuTrigger>
        <Button className="chip-button">
          {chosen.length === 0 ? label : `${label}: ${words.join(", ")}`}
          <span aria-hidden="true">▾</span>
        </Button>
        <Popover className="popover">
          <Menu
            className="menu"
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
          </Menu>
        </Popover>
      </MenuTrigger>
      {chosen.length > 0 && (
        <Button
          className="chip-clear"
          aria-label={tables.removeFilter(label)}
          onPress={() => onChange([])}
        >
          ✕
        </Button>
      )}
    </span>
  );
}
