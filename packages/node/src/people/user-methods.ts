import type {
  Account,
  AccountChange,
  NewAccount,
  NewUser,
  OneTimeLink,
  SignInRules,
  SingleSignOn,
  SingleSignOnChange,
  User,
  UserChange,
} from "../api-types/index.ts";
import type { HttpClient } from "../http.ts";
import { encode } from "../request-parts.ts";
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

/** The people of an account; these methods need a key of the account. */
export class UserMethods {
  protected readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  async listUsers(query: { limit?: number; cursor?: string } = {}): Promise<UserPage> {
    return await this.http.json({ method: "GET", path: "/users", query });
  }

  /** Nothing is mailed: copy the link to the person. */
  async createUser(
    body: NewUser,
    options: ChangeOptions = {},
  ): Promise<{ data: { user: User; link: OneTimeLink } }> {
    return await this.http.json({ ...options, method: "POST", path: "/users", body });
  }

  /** Only what is sent changes; grants take the place of earlier ones. */
  async updateUser(id: string, body: UserChange): Promise<{ data: User }> {
    return await this.http.json({ method: "PATCH", path: `/users/${encode(id)}`, body });
  }

  async deleteUser(id: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: `/users/${encode(id)}` });
  }

  /** For a user who has to choose a new way to sign in; earlier links end. */
  async createUserLink(id: string, options: ChangeOptions = {}): Promise<{ data: OneTimeLink }> {
    const path = `/users/${encode(id)}/link`;
    return await this.http.json({ ...options, method: "POST", path });
  }

  /** The authenticator app of somebody who has lost it, with its recovery codes. */
  async deleteUserTotp(id: string): Promise<void> {
    await this.http.json({ method: "DELETE", path: `/users/${encode(id)}/totp` });
  }

  /** For which roles a password needs a second factor. */
  async getSignInRules(): Promise<{ data: SignInRules }> {
    return await this.http.json({ method: "GET", path: "/account/sign-in-rules" });
  }

  async setSignInRules(body: SignInRules): Promise<{ data: SignInRules }> {
    return await this.http.json({ method: "PUT", path: "/account/sign-in-rules", body });
  }

  /** Of an installation with several; for keys of its first account. */
  async listAccounts(query: { limit?: number; cursor?: string } = {}): Promise<AccountPage> {
    return await this.http.json({ method: "GET", path: "/accounts", query });
  }

  /** With environments `dev` and `prod`. The key and the link are in this answer alone. */
  async createAccount(
    body: NewAccount,
    options: ChangeOptions = {},
  ): Promise<{ data: { account: Account; api_key: string; link?: OneTimeLink } }> {
    return await this.http.json({ ...options, method: "POST", path: "/accounts", body });
  }

  async updateAccount(id: string, body: AccountChange): Promise<{ data: Account }> {
    return await this.http.json({ method: "PATCH", path: `/accounts/${encode(id)}`, body });
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
