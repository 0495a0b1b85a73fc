/** What Slack sends, and what pretends to be: the verifier, and the parsers behind it. */
import { createHmac } from 'node:crypto';
import { pressBody, SECRET, type SignedRequest, signedBySlack } from '../build/slack-press.ts';
import { shownBy } from '../lib/slack/blocks.ts';
import { type HandleOptions, handleSlack } from '../lib/slack/handle.ts';
import { pressedIn } from '../lib/slack/modal.ts';
import { readSlack, UnreadableRequest } from '../lib/slack/request.ts';
import { isFromSlack, WINDOW_SECONDS } from '../lib/slack/signature.ts';
import type { Chance } from './chance.ts';
import { mutated, mutatedJson } from './mutate.ts';
import { Broken, type Target } from './target.ts';

const NOW = 1_790_000_000_000;
const SECONDS = NOW / 1000;
const FORM = 'application/x-www-form-urlencoded';

const press = (more: object = {}) =>
  pressBody({ user: 'U1', block: 'question/team-a/fix-1/0a1b2c3d', option: 'allow', more });
const payloadOf = (body: string): unknown => JSON.parse(new URLSearchParams(body).get('payload') ?? '{}');
const SUBMISSION = {
  type: 'view_submission',
  user: { id: 'U1', team_id: 'T1' },
  view: {
    private_metadata: '{"channel":"C1","ts":"1","shown":"question/a/b/c"}',
    state: { values: { a: { b: { value: 'x' } } } },
  },
};
const COMMAND = 'command=%2Ftiny&text=new+fix&team_id=T1&channel_id=C1&user_id=U1&trigger_id=1.2';
const asForm = (payload: unknown): string => new URLSearchParams({ payload: JSON.stringify(payload) ?? '' }).toString();

const BODIES: ((chance: Chance) => Buffer)[] = [
  () => Buffer.from(press()),
  () => Buffer.from(COMMAND),
  (chance) => mutated(Buffer.from(press()), chance),
  (chance) => mutated(Buffer.from(COMMAND), chance),
  (chance) => Buffer.from(asForm(mutatedJson(payloadOf(press()), chance))),
  (chance) => Buffer.from(asForm(mutatedJson(SUBMISSION, chance))),
  (chance) => mutated(Buffer.from('{"type":"url_verification","challenge":"c"}'), chance),
  (chance) => chance.bytes(chance.below(300)),
];

type Headers = Record<string, string>;
const TIME = 'x-slack-request-timestamp';
const SIGNATURE = 'x-slack-signature';

/** Ways to be wrong, and two to be right. */
const FORGERIES: ((request: SignedRequest, chance: Chance) => SignedRequest)[] = [
  (request) => request,
  ({ headers, body }) => ({ headers: { ...headers, 'content-type': 'application/json' }, body }),
  ({ headers, body }, chance) => ({ headers, body: mutated(body, chance) }),
  ({ body }, chance) => signedBySlack(body, SECONDS, chance.one(['', 'guess', `${SECRET}\0`, SECRET.slice(1)])),
  ({ body }, chance) => signedBySlack(body, SECONDS + chance.one([-1, 1]) * (WINDOW_SECONDS + 1 + chance.below(1e6))),
  (request, chance) => withHeader(request, TIME, mutated(Buffer.from(String(SECONDS)), chance).toString('latin1')),
  (request, chance) =>
    withHeader(request, SIGNATURE, mutated(Buffer.from(request.headers[SIGNATURE] ?? ''), chance).toString('latin1')),
  (request, chance) => withHeader(request, chance.one([TIME, SIGNATURE]), ''),
];

const withHeader = ({ headers, body }: SignedRequest, name: string, value: string): SignedRequest => ({
  headers: { ...headers, [name]: value },
  body,
});

/** By the letter of Slack's page, and in another way than the verifier goes. */
function isGenuine({ headers, body }: { headers: Headers; body: Buffer }): boolean {
  const time = headers[TIME] ?? '';
  const hex = createHmac('sha256', SECRET)
    .update(Buffer.concat([Buffer.from(`v0:${time}:`), body]))
    .digest('hex');
  const near =
    String(Number.parseInt(time, 10)) === time.replace(/^0+(?=\d)/, '') &&
    Math.abs(SECONDS - Number(time)) <= WINDOW_SECONDS;
  return headers[SIGNATURE] === `v0=${hex}` && near;
}

function requestOf(chance: Chance): SignedRequest {
  const signed = signedBySlack(chance.one(BODIES)(chance), SECONDS + chance.below(600) - 300);
  return chance.one(FORGERIES)(signed, chance);
}

const verifier: Target = {
  name: 'slack-verifier',
  holds: 'nothing is taken for a request of Slack that is not signed, or not just now; nothing signed is refused',
  tryOne(chance) {
    const request = requestOf(chance);
    const accepted = isFromSlack(request, [SECRET], NOW);
    if (accepted !== isGenuine(request))
      throw new Broken(accepted ? 'a forgery was accepted' : 'a genuine request was refused');
    return { accepted };
  },
};

const parsers: Target = {
  name: 'slack-parsers',
  holds: 'a body is read, or refused as unreadable; nothing else is thrown',
  tryOne(chance) {
    try {
      const slacked = readSlack(chance.one([FORM, 'application/json']), chance.one(BODIES)(chance));
      if ('by' in slacked && !/^[A-Z][A-Z0-9]+$/.test(slacked.by.user))
        throw new Broken('a user was read that is none');
      if (slacked.kind === 'press') shownBy(slacked.block);
      if (slacked.kind === 'words') pressedIn(slacked.context);
      return { accepted: true };
    } catch (error) {
      if (!(error instanceof UnreadableRequest)) throw error;
      return { accepted: false };
    }
  },
};

/** Whether anything was done for a request. */
function watched(): { options: HandleOptions; acted: () => boolean } {
  let acted = false;
  const act = (): never => {
    acted = true;
    throw new TypeError('acted');
  };
  const options = {
    ...{ client: { as: act }, api: async () => act(), identities: act, projects: act },
    ...{ now: () => new Date(NOW), secrets: () => [SECRET], later: () => undefined },
    ...{ sleep: () => new Promise(() => undefined), log: { info: () => undefined, warn: () => undefined } },
  } as unknown as HandleOptions;
  return { options, acted: () => acted };
}

const handler: Target = {
  name: 'slack-handler',
  holds:
    'what is not signed is answered with 401 and does nothing; what is signed is never answered with an error of the server',
  async tryOne(chance) {
    const request = requestOf(chance);
    const { options, acted } = watched();
    const { status } = await handleSlack(request, options);
    const genuine = isGenuine(request);
    if (!genuine && (status !== 401 || acted())) throw new Broken(`a forgery was answered with ${status}`);
    if (genuine && ![200, 400].includes(status)) throw new Broken(`a genuine request was answered with ${status}`);
    return { accepted: acted() };
  },
};

export const slackTargets: readonly Target[] = [verifier, parsers, handler];
