/**
 * What a channel is: a way in which people are told of a Question. Slack and a signed webhook are two; one by e-mail or in
 * Teams needs the same three calls. A channel formats and sends; when, and how often, is not its matter.
 */
import { ServiceError } from '../service-error.ts';
import type { Telling } from './telling.ts';

/** Where a message is, or is to be. */
export interface Place {
  /** As the settings name it: the id of a Slack channel, a URL. */
  to: string;
  /** The channel's own name of the message. */
  id?: string | undefined;
}

export interface Channel {
  /** Sends a new message; gives its id where there is one, so that it can be brought up to date. Throws `ChannelError`. */
  post(telling: Telling, to: string): Promise<string | undefined>;
  /** Brings a message up to date. Throws `ChannelError`. */
  update(telling: Telling, place: Place): Promise<void>;
  /** Says below a message that time runs out. Throws `ChannelError`. */
  remind?(telling: Telling, place: Place): Promise<void>;
  /** The id of the message that an earlier run has sent and did not live to note. `since` in milliseconds. Throws `ChannelError`. */
  find?(telling: Telling, to: string, since: number): Promise<string | undefined>;
}

/** Nobody was told. */
export class ChannelError extends ServiceError {
  override name = 'ChannelError';
}
