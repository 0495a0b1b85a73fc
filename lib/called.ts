/** A request by HTTP to a function that others call, and what it answers: Slack, GitHub, another tracker. */

/** What was sent, before anything of it is believed. Header names are in small letters. */
export interface Called {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | undefined>>;
  /** Bytes: a signature covers them as they came. */
  body: Buffer;
}

/** `body`: JSON where it is an object, else text. */
export interface Answered {
  status: number;
  body?: string | object;
}
