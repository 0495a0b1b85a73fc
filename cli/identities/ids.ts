/** Ids of people elsewhere as they are typed: checked before anything is read. Pure. */
import { EMAIL, type Entry, type Outsider, SLACK_ID } from '../../lib/identity/mapping.ts';
import { UsageError } from '../failure.ts';
import { safeLine } from '../output/safe.ts';

export interface IdOptions {
  slack?: string[];
  github?: string[];
  email?: string[];
}

function checkedSlack(id: string): string {
  if (SLACK_ID.test(id)) return id;
  throw new UsageError(
    `--slack "${safeLine(id)}" is no TEAM/USER such as T0123ABCD/U0456EFGH`,
    'In Slack: the profile, "Copy member ID"; the team is in the URL of Slack in a browser. Whoever is unknown is told both.',
  );
}

function checkedGithub(id: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(id)) return Number(id);
  throw new UsageError(
    `--github "${safeLine(id)}" is no numeric id such as 583231`,
    'A login can be given away; the id stays. https://api.github.com/users/LOGIN shows it.',
  );
}

function checkedEmail(address: string): string {
  const small = address.toLowerCase();
  if (EMAIL.test(small)) return small;
  throw new UsageError(`--email "${safeLine(address)}" is no address such as alice@example.com`);
}

/** The ids of an entry. Throws UsageError. */
export function idsOf({ slack = [], github = [], email = [] }: IdOptions): Pick<Entry, 'slack' | 'github' | 'email'> {
  return {
    ...(slack.length && { slack: slack.map(checkedSlack) }),
    ...(github.length && { github: github.map(checkedGithub) }),
    ...(email.length && { email: email.map(checkedEmail) }),
  };
}

/** Everybody who was named, one by one. Throws UsageError. */
export function outsidersOf(options: IdOptions): Outsider[] {
  const { slack = [], github = [], email = [] } = idsOf(options);
  return [
    ...slack.map((id): Outsider => {
      const [team = '', user = ''] = id.split('/');
      return { from: 'slack', team, user };
    }),
    ...github.map((id): Outsider => ({ from: 'github', id })),
    ...email.map((address): Outsider => ({ from: 'email', address })),
  ];
}
