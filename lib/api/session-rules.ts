/**
 * The rules of a Session that a schema's types can't say: what can't be changed, what belongs together, what a
 * string must not hold. Each stands at the path of the value that it judges.
 */

import { FORBIDDEN, FORMS, repositoryRefusal } from './repository-url.ts';
import { isDnsLabel, type Rule, type RulesAt } from './rule.ts';
import {
  MAX_MESSAGES,
  MAX_NAME,
  MAX_PROMPT_BYTES,
  type Session,
  type SessionRequest,
  type SessionSpec,
} from './session.ts';
import { PRESETS } from './session-parts.ts';

const anotherSession = "can't be changed once the Session exists; make another Session";

const promptSize: Rule<string> = {
  cel: `size(bytes(self)) <= ${MAX_PROMPT_BYTES}`,
  message: `must be at most ${MAX_PROMPT_BYTES} bytes; put longer text into a file of the repository and refer to it`,
  holds: (self) => Buffer.byteLength(self, 'utf8') <= MAX_PROMPT_BYTES,
};

const matching = (patterns: string[], join: string) =>
  patterns.map((pattern) => `self.matches(r'${pattern}')`).join(join);

const repositoryUrl: Rule<string>[] = [
  {
    cel: matching(FORMS, ' || '),
    message:
      'must be https://HOST/PATH, ssh://[USER@]HOST/PATH or USER@HOST:PATH, without a password (name a Secret in credentialsSecret)',
    holds: (self) => repositoryRefusal(self) !== 'form',
  },
  {
    cel: `!(${matching(FORBIDDEN, ' || ')})`,
    message: "must not name a cloud's metadata address, an IPv6 address, or an IPv4 address not written as a.b.c.d",
    holds: (self) => repositoryRefusal(self) !== 'metadata',
  },
];

/** The patterns want a path. */
const forgeApi: Rule<string> = {
  cel: `!(${matching(FORBIDDEN, ' || ').replaceAll('self.', "(self + '/').")})`,
  message: "must not name a cloud's metadata address, an IPv6 address, or an IPv4 address not written as a.b.c.d",
  holds: (self) => repositoryRefusal(`${self}/x`) !== 'metadata',
};

const knownAgent: Rule<SessionRequest> = {
  cel: `self.agent.name in [${PRESETS.map((name) => `'${name}'`).join(', ')}] || (has(self.agent.command) && size(self.agent.command) > 0)`,
  message: `an agent that is no preset (${PRESETS.join(', ')}) needs agent.command`,
  holds: ({ agent: { name, command } }) => PRESETS.some((preset) => preset === name) || (command?.length ?? 0) > 0,
};

/** One string of the environment ends at 128 KiB (Linux), and the kubelet reads `$$` as one `$`. */
const variableSize: Rule<{ value: string }> = {
  cel: 'size(bytes(self.value)) <= 32768',
  message: 'a value must be at most 32768 bytes; put longer text into a file of the repository or a Secret',
  holds: ({ value }) => Buffer.byteLength(value, 'utf8') <= 32_768,
};

/** The rules of what is asked for: they hold for a Session and for the Session that a Question proposes. */
export const requestRules = (path: string): RulesAt[] => [
  { path, rules: [knownAgent] },
  { path: `${path}.prompt`, rules: [promptSize] },
  { path: `${path}.repository.url`, rules: repositoryUrl },
  { path: `${path}.repository.push.pullRequests.api`, rules: [forgeApi] },
  { path: `${path}.agent.env[name]`, rules: [variableSize] },
];

const name: Rule<Session> = {
  cel: `size(self.metadata.name) <= ${MAX_NAME} && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')`,
  message: `a Session's name must be a DNS label of at most ${MAX_NAME} characters: it becomes part of the names of its pod, claim and Secret`,
  holds: ({ metadata }) => metadata.name.length <= MAX_NAME && isDnsLabel(metadata.name),
};

/** Of all messages that there may be: the API server allows no rule that compares two lists by what is in them. */
const NUMBERS = Array.from({ length: MAX_MESSAGES }, (_, number) => number);

const fixed: Rule<SessionSpec>[] = [
  {
    cel: 'self.prompt == oldSelf.prompt',
    message: `the prompt ${anotherSession}, or send this one a message`,
    holds: (self, old) => !old || self.prompt === old.prompt,
  },
  {
    cel: 'self.agent.name == oldSelf.agent.name',
    message: `the agent ${anotherSession}`,
    holds: (self, old) => !old || self.agent.name === old.agent.name,
  },
  {
    cel: 'has(self.repository) == has(oldSelf.repository) && (!has(self.repository) || self.repository.url == oldSelf.repository.url)',
    message: `the repository ${anotherSession}`,
    holds: (self, old) => !old || self.repository?.url === old.repository?.url,
  },
  {
    cel: 'has(self.parent) == has(oldSelf.parent) && (!has(self.parent) || self.parent == oldSelf.parent)',
    message: `the parent ${anotherSession}`,
    holds: (self, old) => !old || self.parent === old.parent,
  },
  {
    cel: `!has(oldSelf.messages) || size(oldSelf.messages) == 0 || (has(self.messages) && [${NUMBERS.join(', ')}].all(i, i >= size(oldSelf.messages) || (i < size(self.messages) && self.messages[i].id == oldSelf.messages[i].id)))`,
    message:
      'messages that were sent stay, in their order, for the agent has read as many of them; a further one stands after them, as `tiny send` puts it',
    holds: (self, old) => (old?.messages ?? []).every(({ id }, at) => self.messages?.[at]?.id === id),
  },
];

const messageStays: Rule<{ text: string }> = {
  cel: 'self.text == oldSelf.text',
  message: 'a message that was sent stays as it was said; send another',
  holds: (self, old) => !old || self.text === old.text,
};

export const sessionRules: RulesAt[] = [
  { path: '', rules: [name] },
  { path: 'spec', rules: fixed },
  { path: 'spec.messages[id]', rules: [messageStays] },
  ...requestRules('spec'),
];
