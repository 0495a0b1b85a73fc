/** The rules of a Question that a schema's types can't say: asked whole, answered once, else unchangeable. */
import type { Answer, Effect, Question, QuestionSpec } from './question.ts';
import { isDnsLabel, type Rule, type RulesAt } from './rule.ts';
import { requestRules } from './session-rules.ts';

/** As JSON whose keys are in order: CEL compares objects, whatever the order of their keys. */
const canonical = (value: unknown): string | undefined =>
  JSON.stringify(value, (_key, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

const same = (a: unknown, b: unknown) => canonical(a) === canonical(b);

/** Everything asked; `toolCall`, `spawn` and `apply` are whole objects. */
const ASKED = [
  'session',
  'kind',
  'text',
  'options',
  'expiresAt',
  'defaultOption',
  'toolCall',
  'spawn',
  'apply',
] as const;

const name: Rule<Question> = {
  cel: "size(self.metadata.name) <= 63 && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
  message: "a Question's name must be a DNS label of at most 63 characters",
  holds: ({ metadata }) => metadata.name.length <= 63 && isDnsLabel(metadata.name),
};

const asked: Rule<QuestionSpec>[] = [
  {
    cel: ASKED.map(
      (field) =>
        `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    )
      .map((rule) => `(${rule})`)
      .join(' && '),
    message: "what was asked can't be changed: only the answer can be set, once",
    holds: (self, old) => !old || ASKED.every((field) => same(self[field], old[field])),
  },
  {
    cel: '!has(self.answer) || oldSelf.hasValue()',
    optionalOldSelf: true,
    message: 'a Question is asked without an answer',
    holds: (self, old) => self.answer === undefined || old !== undefined,
  },
  {
    cel: '!has(oldSelf.answer) || (has(self.answer) && self.answer == oldSelf.answer)',
    message: 'the Question has been answered already, and an answer stays: see spec.answer.by',
    holds: (self, old) => old?.answer === undefined || same(self.answer, old.answer),
  },
];

/** Whether choosing an option allows, or denies, once or for ever. */
const leads = ({ effect }: { effect?: Effect | undefined }, way: string): boolean => effect?.startsWith(way) ?? false;

const belongs: Rule<QuestionSpec>[] = [
  {
    cel: "has(self.toolCall) == (self.kind == 'Permit') && has(self.spawn) == (self.kind == 'Spawn') && has(self.apply) == (self.kind == 'Apply')",
    message: 'a Permit has a toolCall, a Spawn has a spawn, an Apply has an apply, an Ask has none of these',
    holds: ({ kind, toolCall, spawn, apply }) =>
      !!toolCall === (kind === 'Permit') && !!spawn === (kind === 'Spawn') && !!apply === (kind === 'Apply'),
  },
  {
    cel: "self.kind == 'Ask' || (has(self.options) && self.options.all(o, has(o.effect)) && self.options.exists(o, o.effect in ['Allow', 'AllowAlways']) && self.options.exists(o, o.effect in ['Deny', 'DenyAlways']))",
    message:
      'a Permit, a Spawn or an Apply has options that each say their effect, one that allows and one that denies',
    holds: ({ kind, options = [] }) =>
      kind === 'Ask' ||
      (options.every((o) => o.effect) && ['Allow', 'Deny'].every((way) => options.some((o) => leads(o, way)))),
  },
  {
    cel: "self.kind == 'Ask' || !has(self.options) || self.options.all(o, !has(o.effect) || o.id.startsWith(o.effect in ['Allow', 'AllowAlways'] ? 'allow' : 'deny'))",
    message:
      'of a Permit, a Spawn or an Apply, the ids of options that allow begin with allow, of those that deny with deny: nobody who answers `deny` is to say yes',
    holds: ({ kind, options = [] }) =>
      kind === 'Ask' || options.every((o) => !o.effect || o.id.startsWith(leads(o, 'Allow') ? 'allow' : 'deny')),
  },
  {
    cel: '!has(self.defaultOption) || (has(self.options) && self.options.exists(o, o.id == self.defaultOption))',
    message: 'defaultOption must be the id of one of the options',
    holds: ({ defaultOption, options = [] }) => !defaultOption || options.some(({ id }) => id === defaultOption),
  },
  {
    cel: "!has(self.defaultOption) || (has(self.options) && !self.options.exists(o, o.id == self.defaultOption && has(o.effect) && o.effect in ['Allow', 'AllowAlways']))",
    message: 'defaultOption must not allow anything: a yes is an act, and an expiry is nobody acting',
    holds: ({ defaultOption, options = [] }) =>
      !options.some(({ id, effect }) => id === defaultOption && effect?.startsWith('Allow')),
  },
  {
    cel: '!has(self.answer) || !has(self.answer.option) || (has(self.options) && self.options.exists(o, o.id == self.answer.option))',
    message: 'answer.option must be the id of one of the options',
    holds: ({ answer, options = [] }) => !answer?.option || options.some(({ id }) => id === answer.option),
  },
  {
    cel: "!has(self.answer) || !has(self.answer.text) || self.kind == 'Ask'",
    message: 'only an Ask is answered in words; choose an option with answer.option',
    holds: ({ answer, kind }) => !answer?.text || kind === 'Ask',
  },
  {
    cel: '!has(self.answer) || !has(self.answer.shown) || (has(self.apply) && size(self.answer.shown) == size(self.apply.objects))',
    message: 'answer.shown has one digest for each object of an Apply, and stands nowhere else',
    holds: ({ answer, apply }) => !answer?.shown || answer.shown.length === apply?.objects.length,
  },
];

const oneAnswer: Rule<Answer> = {
  cel: 'has(self.option) != has(self.text)',
  message: 'an answer is either an option or a text',
  holds: ({ option, text }) => (option === undefined) !== (text === undefined),
};

export const questionRules: RulesAt[] = [
  { path: '', rules: [name] },
  { path: 'spec', rules: [...asked, ...belongs] },
  { path: 'spec.answer', rules: [oneAnswer] },
  ...requestRules('spec.spawn.spec'),
];
