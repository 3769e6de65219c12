import type { Config } from "#config";
import { type Quarantine, SECOND, type Settings } from "#foundation";
import { toDashboardUrl, toServerUrl } from "../people-settings.ts";

/** Settings whose public address may depend on the port that the system gave. */
export class ServerSettings implements Settings {
  readonly #config: Config;
  readonly spoolDir: string;
  readonly quarantine: Quarantine;
  port: number;

  constructor(config: Config, given: { quarantine: Quarantine; spoolDir: string }) {
    this.#config = config;
    this.spoolDir = given.spoolDir;
    this.quarantine = given.quarantine;
    this.port = config.port;
  }

  get serverUrl(): string {
    const { serverUrl, host } = this.#config;
    return serverUrl ?? toServerUrl(host, this.port);
  }

  get connectUrl(): string {
    return this.#config.connectUrl ?? `${this.serverUrl}/connect`;
  }

  get dashboard(): boolean {
    return this.#config.dashboard;
  }
  get severalAccounts(): boolean {
    return this.#config.severalAccounts;
  }
  get ownerEmail(): string | undefined {
    return this.#config.ownerEmail;
  }
  get ownersSignInLocally(): boolean {
    return this.#config.ownersSignInLocally;
  }

  get mcpAllowedOrigins(): readonly string[] {
    return this.#config.mcpAllowedOrigins;
  }

  get dashboardUrl(): string {
    return toDashboardUrl(this.#config.dashboardUrl, this.serverUrl);
  }

  get bodyLimitBytes(): number {
    return this.#config.bodyLimitBytes;
  }

  get rateLimitPerMinute(): number {
    return this.#config.rateLimitPerMinute;
  }

  get recordStorage(): "sealed" | "plain" {
    return this.#config.recordStorage;
  }

  get sqlAccess(): Config["sqlAccess"] {
    return this.#config.sqlAccess;
  }

  get compatPrefix(): string | undefined {
    return this.#config.compatPrefix;
  }

  get maxConnections(): number | undefined {
    return this.#config.maxConnections;
  }

  get metadataLimitBytes(): number {
    return this.#config.metadataLimitBytes;
  }

  get proxyReplayLimitBytes(): number {
    return this.#config.proxyReplayLimitBytes;
  }

  get mcpLimits(): Config["mcpLimits"] {
    return this.#config.mcpLimits;
  }
  get mcpTaskAfterMs(): number {
    return this.#config.mcpTaskAfterMs;
  }

  get proxyLogSample(): number {
    return this.#config.proxyLogSample;
  }

  get refreshIdleMs(): number {
    return this.#config.refreshIdleMs;
  }

  // Clients and proxies before us often give up after 30 s.
  readonly refreshPatienceMs: number = 25 * SECOND;

  get logRunLines(): number {
    return this.#config.logRunLines;
  }
  get logDayBytes(): number {
    return this.#config.logDayBytes;
  }
  get auditRetentionMs(): number {
    return this.#config.auditRetentionMs;
  }
  get logRetentionMs(): number {
    return this.#config.logRetentionMs;
  }

  get actionValueLimitBytes(): number {
    return this.#config.actionValueLimitBytes;
  }

  get functionTimeouts(): Config["functionTimeouts"] {
    return this.#config.functionTimeouts;
  }

  get runSlots(): number {
    return this.#config.runSlots;
  }

  get environmentShare(): number {
    return this.#config.environmentShare;
  }

  get proxyCalls(): number {
    return this.#config.proxyCalls;
  }

  get webhookLimitPerMinute(): number {
    return this.#config.webhookLimitPerMinute;
  }

  get webhookEnvironmentLimitPerMinute(): number {
    return this.#config.webhookEnvironmentLimitPerMinute;
  }

  get webhookStorageBytes(): number {
    return this.#config.webhookStorageBytes;
  }

  get actionResultMs(): number {
    return this.#config.actionResultMs;
  }

  get traceProviders(): boolean {
    return this.#config.telemetry.traceProviders;
  }
}
