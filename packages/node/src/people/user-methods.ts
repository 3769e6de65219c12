import type {
  Account,
  AccountChange,
  AccountErasure,
  ListAccountsQuery,
  ListUsersQuery,
  NewAccount,
  NewUser,
  OneTimeLink,
  SignInRules,
  SingleSignOn,
  SingleSignOnChange,
  User,
  UserChange,
} from "../api-types/index.ts";
import { encode } from "../calls/request-parts.ts";
import { Resource } from "../methods/resource.ts";
import type { ChangeOptions } from "../requests.ts";

interface UserPage {
  readonly data: User[];
  /** Null on the last page. */
  readonly next_cursor: string | null;
}

interface AccountPage {
  readonly data: Account[];
  /** Null on the last page. */
  readonly next_cursor: string | null;
}

/** The people of an account; with a key of the account. */
export class Users extends Resource {
  async list(query: ListUsersQuery = {}): Promise<UserPage> {
    return await this.http.json({ method: "GET", path: "/users", query });
  }

  /** Nothing is mailed: copy the link to the person. */
  async create(
    body: NewUser,
    options: ChangeOptions = {},
  ): Promise<{ data: { user: User; link: OneTimeLink } }> {
    return await this.http.json({ ...options, method: "POST", path: "/users", body });
  }

  /** Only what is sent changes; grants take the place of earlier ones. */
  async update(id: string, body: UserChange): Promise<{ data: User }> {
    return await this.http.json({ method: "PATCH", path: `/users/${encode(id)}`, body });
  }

  async delete(id: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: `/users/${encode(id)}` });
  }

  /** For a user who has to choose a new way to sign in; earlier links end. */
  async createLink(id: string, options: ChangeOptions = {}): Promise<{ data: OneTimeLink }> {
    const path = `/users/${encode(id)}/link`;
    return await this.http.json({ ...options, method: "POST", path });
  }

  /** The authenticator app of somebody who has lost it, with its recovery codes. */
  async deleteTotp(id: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: `/users/${encode(id)}/totp` });
  }
}

/** The accounts of an installation with several; with a key of the first one. */
export class Accounts extends Resource {
  /** Of an installation with several; for keys of its first account. */
  async list(query: ListAccountsQuery = {}): Promise<AccountPage> {
    return await this.http.json({ method: "GET", path: "/accounts", query });
  }

  /** With environments `dev` and `prod`. The key and the link are in this answer alone. */
  async create(
    body: NewAccount,
    options: ChangeOptions = {},
  ): Promise<{ data: { account: Account; api_key: string; link?: OneTimeLink } }> {
    return await this.http.json({ ...options, method: "POST", path: "/accounts", body });
  }

  async update(id: string, body: AccountChange): Promise<{ data: Account }> {
    return await this.http.json({ method: "PATCH", path: `/accounts/${encode(id)}`, body });
  }

  /** Erases the account with all that it has; nobody of it gets in from here on. */
  async delete(id: string): Promise<{ data: AccountErasure }> {
    return await this.http.json({ method: "DELETE", path: `/accounts/${encode(id)}` });
  }

  /** The newest first. */
  async erasures(
    query: { limit?: number; cursor?: string } = {},
  ): Promise<{ data: AccountErasure[]; next_cursor: string | null }> {
    return await this.http.json({ method: "GET", path: "/account-erasures", query });
  }

  async erasure(id: string): Promise<{ data: AccountErasure }> {
    return await this.http.json({ method: "GET", path: `/account-erasures/${encode(id)}` });
  }
}

/** How people sign in; with a key of the account. */
export class SignIn extends Resource {
  /** For which roles a password needs a second factor. */
  async getRules(): Promise<{ data: SignInRules }> {
    return await this.http.json({ method: "GET", path: "/account/sign-in-rules" });
  }

  async setRules(body: SignInRules): Promise<{ data: SignInRules }> {
    return await this.http.json({ method: "PUT", path: "/account/sign-in-rules", body });
  }

  /** How people sign in by an identity provider; null where there is none. */
  async getSingleSignOn(): Promise<{ data: SingleSignOn | null }> {
    return await this.http.json({ method: "GET", path: "/account/sso" });
  }

  /** Its issuer is asked before this is stored. A `client_secret` that is left out stays. */
  async setSingleSignOn(body: SingleSignOnChange): Promise<{ data: SingleSignOn }> {
    return await this.http.json({ method: "PUT", path: "/account/sso", body });
  }

  async deleteSingleSignOn(): Promise<void> {
    await this.http.json({ method: "DELETE", path: "/account/sso" });
  }
}
