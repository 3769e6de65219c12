import assert from "node:assert";
import type { AuthModeId, Provider, ProviderOf } from "@jackfield/catalogue";
import { completeConnect, preferGiven } from "./after-connect.ts";
import type {
  AuthMode,
  AuthModeRules,
  AuthSubject,
  AuthTools,
  Minted,
  SubjectOf,
} from "./auth-mode.ts";
import { type ModeStep, runModeCall } from "./observe/run-mode-call.ts";

type Asking<Subject, Given, Result> = (
  subject: Subject,
  given: Given,
  tools: AuthTools,
) => Promise<Result>;

type Complete<Result> = (subject: AuthSubject, result: Result, tools: AuthTools) => Promise<Result>;

/** A mode by its rules, which are given subjects of its own entries only. */
export function defineAuthMode<Id extends AuthModeId>(id: Id, rules: AuthModeRules<Id>): AuthMode {
  const { startAuthorization: start, finishAuthorization: finish, refresh, revoke } = rules;
  const { completeInstallation: install, checkConfig, canRevoke, readsBody, sign } = rules;
  const asking = <Given extends object, Result>(
    step: ModeStep,
    method: Asking<SubjectOf<Id>, Given, Result>,
    complete?: Complete<Result>,
  ): Asking<AuthSubject, Given, Result> => {
    return async (subject, given, tools) =>
      await runModeCall(step, {
        ...{ mode, subject, given, tools },
        run: async (tools) => await method(ownOf(id, subject), given, tools),
        complete: complete && (async (result) => await complete(subject, result, tools)),
      });
  };
  const connected: Complete<Minted> = async (subject, minted, tools) =>
    await completeConnect(mode, subject, minted, tools);
  const mode: AuthMode = {
    id,
    fields: rules.fields,
    clientFields: rules.clientFields,
    secrets: rules.secrets,
    signsWithClient: rules.signsWithClient,
    canReadThrough: rules.canReadThrough,
    fromFlat: rules.fromFlat,
    accept: asking(
      "accept",
      rules.accept,
      async (subject, minted, tools) =>
        await connected(subject, preferGiven(subject, minted), tools),
    ),
    startAuthorization: start && asking("startAuthorization", start),
    finishAuthorization: finish && asking("finishAuthorization", finish, connected),
    completeInstallation: install && asking("completeInstallation", install, connected),
    refresh: refresh && asking("refresh", refresh),
    revoke: revoke && asking("revoke", revoke),
    apply: (subject, credentials, request) => rules.apply(ownOf(id, subject), credentials, request),
    checkConfig:
      checkConfig && ((provider, config) => checkConfig(requireEntry(id, provider), config)),
    canRevoke: canRevoke && ((subject, credentials) => canRevoke(ownOf(id, subject), credentials)),
    readsBody: readsBody && ((subject, facts) => readsBody(ownOf(id, subject), facts)),
    sign:
      sign && ((subject, credentials, request) => sign(ownOf(id, subject), credentials, request)),
  };
  return mode;
}

function ownOf<Id extends AuthModeId>(id: Id, subject: AuthSubject): SubjectOf<Id> {
  assert(isOwn(id, subject));
  return subject;
}

function isOwn<Id extends AuthModeId>(id: Id, subject: AuthSubject): subject is SubjectOf<Id> {
  return isEntryOf(id, subject.provider);
}

function requireEntry<Id extends AuthModeId>(id: Id, provider: Provider): ProviderOf<Id> {
  assert(isEntryOf(id, provider));
  return provider;
}

function isEntryOf<Id extends AuthModeId>(id: Id, provider: Provider): provider is ProviderOf<Id> {
  return provider.auth_mode === id;
}
