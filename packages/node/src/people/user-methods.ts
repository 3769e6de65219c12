import type { NewUser, OneTimeLink, User, UserChange } from "../api-types.ts";
import type { HttpClient } from "../http.ts";
import { encode } from "../request-parts.ts";
import type { ChangeOptions } from "../requests.ts";

interface UserPage {
  readonly data: User[];
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
}
