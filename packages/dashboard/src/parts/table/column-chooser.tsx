import { Button } from "react-aria-components/Button";
import { Menu, MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { usePreferences } from "../../data/preferences.ts";
import { changePreferences } from "../../start/stored-preferences.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** Which columns of a table are shown; the first one always is, since it leads on. */
export function ColumnChooser({
  id,
  columns,
}: {
  id: string;
  columns: readonly { readonly id: string; readonly header: string }[];
}) {
  const { tables } = useTexts();
  const { hiddenColumns } = usePreferences();
  const hidden = hiddenColumns[id] ?? [];
  const choices = columns.slice(1);
  return (
    <MenuTrigger>
      <Button className="button">{tables.columns}</Button>
      <Popover className="popover" placement="bottom end">
        <Menu
          className="menu"
          selectionMode="multiple"
          aria-label={tables.columns}
          selectedKeys={choices.map((column) => column.id).filter((name) => !hidden.includes(name))}
          onSelectionChange={(chosen) => {
            const names = choices
              .map((column) => column.id)
              .filter((name) => chosen !== "all" && !chosen.has(name));
            changePreferences({ hiddenColumns: { ...hiddenColumns, [id]: names } });
          }}
        >
          {choices.map((column) => (
            <MenuItem key={column.id} id={column.id} className="menu-item">
              {column.header}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
