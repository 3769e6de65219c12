import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { buildConnector } from "undici";
import { AppError } from "../errors.ts";
import type { Logger } from "../logger/index.ts";
import type { AddressPolicy } from "./address-policy.ts";
import type { EgressRequest } from "./egress.ts";

const CONNECT_TIMEOUT_MS = 10_000;

export interface GuardedConnectOptions {
  readonly lookup?: LookupFunction | undefined;
  /** PEM, besides the usual ones. */
  readonly authorities?: readonly string[] | undefined;
  readonly certificate?: EgressRequest["clientCertificate"] | undefined;
  /** PEM, instead of all others. */
  readonly onlyAuthorities?: string | undefined;
}

/**
 * Connects only to addresses that the policy allows. The name is resolved once, and the very
 * addresses that were checked are connected to, so that a second answer of the resolver has no say.
 */
export function createGuardedConnect(
  policy: AddressPolicy,
  log: Logger,
  { lookup: resolve = systemLookup, ...tls }: GuardedConnectOptions = {},
): buildConnector.connector {
  const lookup = guardLookup(policy, log, resolve);
  const connect = buildConnector({
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    lookup,
    ...toTlsOptions(tls),
  });
  return (options, callback) => {
    // A literal never reaches `lookup`.
    const isLiteral = isIP(options.hostname) !== 0;
    const isOpen = policy.isOpenOrigin(`${options.protocol}//${options.hostname}:${options.port}`);
    if (isLiteral && !isOpen && !isAllowedLiteral(policy, options.hostname)) {
      callback(refuse(log, options.hostname), null);
      return;
    }
    connect(options, callback);
  };
}

/** A resolver whose answers hold only addresses that the policy allows; what it answers is what is connected to. */
export function guardLookup(
  policy: AddressPolicy,
  log: Logger,
  resolve: LookupFunction = systemLookup,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, answer) => {
      if (error !== null) return callback(error, []);
      const found = typeof answer === "string" ? [] : answer;
      const permitted = policy.isOpenHost(hostname) ? found : permittedOf(policy, found);
      const [first] = permitted;
      if (first === undefined) return callback(refuse(log, hostname), []);
      if (options.all === true) callback(null, [...permitted]);
      else callback(null, first.address, first.family);
    });
  };
}

/** One context for all connections where there is much to read in it. */
function toTlsOptions({
  authorities = [],
  certificate,
  onlyAuthorities,
}: Omit<GuardedConnectOptions, "lookup">): { secureContext?: SecureContext } {
  const ca =
    onlyAuthorities ??
    (authorities.length === 0 ? undefined : [...getCACertificates("default"), ...authorities]);
  if (ca === undefined && certificate === undefined) return {};
  const secureContext = createSecureContext({
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined
      ? {}
      : { cert: certificate.certificate, key: certificate.privateKey }),
  });
  return { secureContext };
}

interface Found {
  readonly address: string;
  readonly family: number;
}

/** One private address closes the name, unless the operator has opened one of its addresses. */
function permittedOf(policy: AddressPolicy, found: readonly Found[]): readonly Found[] {
  const allowed = found.filter(({ address }) => policy.isAllowedAddress(address));
  if (allowed.length === found.length) return allowed;
  return allowed.some(({ address }) => policy.isOpenAddress(address)) ? allowed : [];
}

export function isAllowedLiteral(policy: AddressPolicy, address: string): boolean {
  return policy.isOpenHost(address) || policy.isAllowedAddress(address);
}

export function refuse(log: Logger, hostname: string): AppError {
  log.warn("egress.refused", { host: hostname });
  return destinationNotAllowed(hostname);
}

export function destinationNotAllowed(hostname: string): AppError {
  return new AppError(
    "destination_not_allowed",
    `${hostname} is a private or reserved address; the operator can open it with SVC_EGRESS_ALLOW.`,
  );
}
