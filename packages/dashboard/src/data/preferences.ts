import { useSyncExternalStore } from "react";
import {
  onPreferences,
  type Preferences,
  preferencesOfBrowser,
} from "../start/stored-preferences.ts";

export function usePreferences(): Preferences {
  return useSyncExternalStore(onPreferences, preferencesOfBrowser);
}
