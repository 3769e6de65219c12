import { useEffect, useState } from "react";

/** For so long nobody types before the server is asked. */
const PAUSE_MS = 400;

/** The text once it has stayed the same for a moment. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
