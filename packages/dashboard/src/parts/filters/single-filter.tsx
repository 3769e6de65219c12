import { Button } from "react-aria-components/Button";
import { Menu, MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { useTexts } from "../../texts/use-texts.ts";
import { plainText } from "../formats.ts";
import type { Choice } from "./choice-filter.tsx";

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
    <span className={chosen === undefined ? "chip" : "chip set"}>
      <MenuTrigger>
        <Button className="chip-button">
          {word === undefined ? label : `${label}: ${plainText(word, 40)}`}
          <span aria-hidden="true">▾</span>
        </Button>
        <Popover className="popover">
          <Menu
            className="menu"
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
          </Menu>
        </Popover>
      </MenuTrigger>
      {chosen !== undefined && (
        <Button
          className="chip-clear"
          aria-label={tables.removeFilter(label)}
          onPress={() => onChange(undefined)}
        >
          ✕
        </Button>
      )}
    </span>
  );
}
