import { Button } from "react-aria-components/Button";
import { Checkbox } from "react-aria-components/Checkbox";
import {
  changeRowHeight,
  changeTable,
  usePreferences,
  useTableLook,
} from "../../data/preferences.ts";
import { columnTexts } from "../../texts/screens/lists/columns.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { boundWidth, moveColumn, orderColumns } from "./order-columns.ts";

interface Named {
  readonly id: string;
  readonly header: string;
}

const WIDTH_STEP = 24;

/** Which columns of a table are shown, in which order and how wide; the first one always is, since it leads on. */
export function ColumnList({ id, columns }: { id: string; columns: readonly Named[] }) {
  const texts = useTextsOf(columnTexts);
  const { isCompact } = usePreferences();
  const look = useTableLook(id);
  const ordered = orderColumns(columns, look);
  return (
    <>
      <ul className="plain-list">
        {ordered.map((column, place) => (
          <li key={column.id} className="row">
            <OneColumn
              table={id}
              column={column}
              ids={ordered.map((one) => one.id)}
              place={place}
            />
          </li>
        ))}
      </ul>
      <Checkbox className="choice" isSelected={isCompact} onChange={changeRowHeight}>
        {texts.compact}
      </Checkbox>
      <Button
        className="button small"
        isDisabled={Object.keys(look).length === 0}
        onPress={() => changeTable(id, { hidden: undefined, order: undefined, widths: undefined })}
      >
        {texts.resetColumns}
      </Button>
    </>
  );
}

function OneColumn({
  table,
  column,
  ids,
  place,
}: {
  table: string;
  column: Named;
  ids: readonly string[];
  place: number;
}) {
  const texts = useTextsOf(columnTexts);
  const { hidden = [], widths = {} } = useTableLook(table);
  const { id, header } = column;
  const move = (by: 1 | -1) => {
    const target = ids[place + by];
    if (target !== undefined) changeTable(table, { order: moveColumn(ids, id, target) });
  };
  const size = (by: 1 | -1) => {
    const width = boundWidth((widths[id] ?? shownWidth(id)) + by * WIDTH_STEP);
    changeTable(table, { widths: { ...widths, [id]: width } });
  };
  const isHidden = hidden.includes(id);
  return (
    <>
      <Checkbox
        className="choice"
        isSelected={!isHidden}
        isDisabled={place === 0}
        onChange={(isShown) =>
          changeTable(table, {
            hidden: isShown ? hidden.filter((one) => one !== id) : [...hidden, id],
          })
        }
      >
        {header}
      </Checkbox>
      <span className="space" />
      <Step name={texts.moveUp(header)} sign="↑" isOff={place <= 1} onPress={() => move(-1)} />
      <Step
        name={texts.moveDown(header)}
        sign="↓"
        isOff={place === 0 || place === ids.length - 1}
        onPress={() => move(1)}
      />
      <Step name={texts.narrower(header)} sign="−" isOff={isHidden} onPress={() => size(-1)} />
      <Step name={texts.wider(header)} sign="+" isOff={isHidden} onPress={() => size(1)} />
    </>
  );
}

function Step({
  name,
  sign,
  isOff,
  onPress,
}: {
  name: string;
  sign: string;
  isOff: boolean;
  onPress: () => void;
}) {
  return (
    <Button className="button small" aria-label={name} isDisabled={isOff} onPress={onPress}>
      <span aria-hidden="true">{sign}</span>
    </Button>
  );
}

/** As wide as the window has made it. */
function shownWidth(id: string): number {
  const head = document.querySelector<HTMLElement>(`th[data-column="${CSS.escape(id)}"]`);
  return head?.getBoundingClientRect().width ?? 0;
}
