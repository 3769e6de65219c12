import { lazy, Suspense } from "react";
import { Button } from "react-aria-components/Button";
import { Dialog, DialogTrigger } from "react-aria-components/Dialog";
import { Popover } from "react-aria-components/Popover";
import { useTexts } from "../../texts/use-texts.ts";

const ColumnList = lazy(async () => ({
  default: (await import("./column-list.tsx")).ColumnList,
}));

/** Opens the list of a table's columns, which is loaded then. */
export function ColumnChooser(props: {
  id: string;
  columns: readonly { readonly id: string; readonly header: string }[];
}) {
  const { tables: texts, shell } = useTexts();
  return (
    <DialogTrigger>
      <Button className="button">{texts.columns}</Button>
      <Popover className="popover" placement="bottom end">
        <Dialog className="column-chooser padded" aria-label={texts.columns}>
          <Suspense fallback={<p className="soft">{shell.loading}</p>}>
            <ColumnList {...props} />
          </Suspense>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
