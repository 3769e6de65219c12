/** Named moments at which tests stop or delay a server; nothing happens there in production. */
export interface Failpoints {
  hit(name: string): Promise<void> | void;
}

export const noFailpoints: Failpoints = { hit() {} };
