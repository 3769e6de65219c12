import { MINUTE, SECOND, type SystemContext } from "#foundation";
import { findProviderOf, type WithProvider } from "#integrations";

/** From when on credentials that nobody uses are renewed, and how often. */
export interface IdleSchedule {
  readonly earliest: Date;
  /** The time itself is a slot of the row's own, at most this much later. */
  readonly slotsMs: number;
}

/** How long before the end credentials are renewed where neither their life nor the entry says otherwise. */
export const REFRESH_MARGIN_MS: number = 15 * MINUTE;

/** How long before their end an integration's credentials are to be renewed: as its entry says. */
export function refreshMarginMs(integration: WithProvider): number {
  const seconds = findProviderOf(integration)?.refresh_margin_s;
  return seconds === undefined ? REFRESH_MARGIN_MS : seconds * SECOND;
}

/** How often an integration's refresh tokens are used at least: as its entry says, else as the operator does. */
export function refreshIdleMs(
  { settings }: Pick<SystemContext, "settings">,
  integration: WithProvider,
): number {
  const seconds = findProviderOf(integration)?.refresh_idle_s;
  return seconds === undefined ? settings.refreshIdleMs : seconds * SECOND;
}
