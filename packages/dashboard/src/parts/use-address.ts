import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

export type SearchWords = Readonly<Record<string, string | undefined>>;

/** Filters, ranges, open panels and tabs are in the address, so that it can be shared and Back undoes. */
export function useAddress() {
  const words: SearchWords = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changed: SearchWords, { replace = false }: { replace?: boolean } = {}) => {
      void navigate({
        to: ".",
        search: (before: SearchWords) => withoutEmpty({ ...before, ...changed }),
        replace,
      } as Parameters<typeof navigate>[0]);
    },
    [navigate],
  );
  return { words, change };
}

function withoutEmpty(words: SearchWords): SearchWords {
  return Object.fromEntries(
    Object.entries(words).filter(([, value]) => value !== undefined && value !== ""),
  );
}

/** Values of the path, which a route that has them always gives. */
export function usePathValues(): Readonly<Record<string, string>> {
  return useParams({ strict: false });
}

/** Items of a list in the address. */
export function listOf(word: string | undefined): readonly string[] {
  return word === undefined || word === "" ? [] : word.split(",");
}
