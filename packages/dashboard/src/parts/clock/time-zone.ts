import { usePreferences } from "../../data/preferences.ts";
import { setZone } from "./zone.ts";

/** Has all times below written in the zone that the person has chosen; gives it, so that what shows times is drawn again. */
export function useTimeZone(): "UTC" | "local" {
  const zone = usePreferences().utc ? "UTC" : "local";
  setZone(zone);
  return zone;
}
