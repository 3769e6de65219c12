import { useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Input } from "react-aria-components/Input";
import { SearchField } from "react-aria-components/SearchField";
import { useTexts } from "../../texts/use-texts.ts";

/** Text to look for; it takes effect with Enter, or as it is typed, and is emptied with Esc. `/` leads here. */
export function SearchBox({
  label,
  value,
  onSearch,
  isInstant = false,
}: {
  label: string;
  value: string;
  onSearch: (text: string) => void;
  /** For lists that are searched without a call. */
  isInstant?: boolean;
}) {
  const { tables } = useTexts();
  const [typed, setTyped] = useState(value);
  const known = useRef(value);
  useEffect(() => {
    if (known.current === value) return;
    known.current = value;
    setTyped(value);
  }, [value]);
  const search = (text: string) => {
    known.current = text.trim();
    onSearch(text.trim());
  };
  return (
    <SearchField
      className="search-box"
      aria-label={label}
      value={typed}
      onChange={(text) => {
        setTyped(text);
        if (isInstant) search(text);
      }}
      onSubmit={search}
      onClear={() => search("")}
    >
      <Input className="input" placeholder={label} data-shortcut="search" />
      {typed !== "" && (
        <Button className="chip-clear" aria-label={tables.clear}>
          ✕
        </Button>
      )}
    </SearchField>
  );
}
