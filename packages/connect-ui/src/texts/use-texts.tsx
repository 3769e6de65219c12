import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Texts } from "./english.ts";
import {
  chooseLanguage,
  type Language,
  loadTexts,
  type Spoken,
  spokenEnglish,
} from "./languages.ts";

interface Speaking extends Spoken {
  /** Speaks the language that the session was made with, where it names one; gives the texts that count now. */
  readonly follow: (language: string | undefined) => Promise<Texts>;
}

const SpeakingContext = createContext<Speaking>({
  ...spokenEnglish,
  follow: async () => await Promise.resolve(spokenEnglish.texts),
});

/** The language of the parts inside, which begins with `initial`. */
export function SpeakingPage({ initial, children }: { initial: Spoken; children: ReactNode }) {
  const [spoken, setSpoken] = useState(initial);
  useEffect(() => {
    document.documentElement.lang = spoken.language;
  }, [spoken]);
  const latest = useRef(initial);
  const follow = useCallback<Speaking["follow"]>(async (language) => {
    if (language !== undefined && language !== latest.current.language) {
      latest.current = await loadTexts(chooseLanguage([language]));
      setSpoken(latest.current);
    }
    return latest.current.texts;
  }, []);
  const speaking = useMemo(() => ({ ...spoken, follow }), [spoken, follow]);
  return <SpeakingContext value={speaking}>{children}</SpeakingContext>;
}

/** The texts of the page's language, for every part of it. */
export function useTexts(): Texts {
  return useContext(SpeakingContext).texts;
}

export function useLanguage(): Language {
  return useContext(SpeakingContext).language;
}

export function useFollowLanguage(): Speaking["follow"] {
  return useContext(SpeakingContext).follow;
}
