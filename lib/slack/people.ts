/** Who a user of Slack is in the cluster: by their id, else, where a rule allows it, by the e-mail address that Slack has verified. */
import { type Identities, type Outsider, type WhoIs, whoIs } from '../identity/mapping.ts';
import type { SlackApi } from './api.ts';
import type { User } from './request.ts';

/** https://docs.slack.dev/reference/objects/user-object */
interface Profile {
  id?: string;
  team_id?: string;
  deleted?: boolean;
  is_bot?: boolean;
  is_restricted?: boolean;
  is_ultra_restricted?: boolean;
  is_stranger?: boolean;
  is_email_confirmed?: boolean;
  profile?: { email?: string };
}

/** Guests, strangers of a shared channel and robots are known by their id or not at all. */
const isMember = (user: Profile): boolean =>
  !(user.deleted || user.is_bot || user.is_restricted || user.is_ultra_restricted || user.is_stranger);

async function verifiedEmail(api: SlackApi, by: User): Promise<string | undefined> {
  const { user } = (await api('users.info', { user: by.user })) as { user?: Profile };
  if (user?.id !== by.user || user.team_id !== by.team || !isMember(user)) return undefined;
  return user.is_email_confirmed === true ? user.profile?.email : undefined;
}

/** Throws `ChannelError` where Slack must be asked and does not answer. */
export async function personOf(by: User, identities: Identities, api: SlackApi): Promise<WhoIs> {
  const who: Outsider = { from: 'slack', ...by };
  const known = whoIs(identities, who);
  const byRule = (identities.rules ?? []).some(({ slackTeam }) => slackTeam === by.team);
  if ('person' in known || known.refusal !== 'Unmapped' || !byRule) return known;
  const email = await verifiedEmail(api, by);
  return email === undefined ? known : whoIs(identities, { ...who, email });
}
