/**
 * What a Session and a Question may be, as rows: each is sent as it stands, and is taken or not. The rows name what
 * an API server says too; test/contract compares the two.
 */
export interface Case {
  what: string;
  kind: 'Session' | 'Question';
  name?: string;
  spec: Record<string, unknown>;
  /** The spec before, where the row is a change. */
  old?: Record<string, unknown>;
  ok: boolean;
}

type Spec = Record<string, unknown>;
type Row = [what: string, spec: Spec, ok: boolean];

const session = (rows: Row[]): Case[] =>
  rows.map(([what, spec, ok]) => ({ what, kind: 'Session', spec: { prompt: 'p', ...spec }, ok }));

const named = (kind: Case['kind'], spec: Spec) => (rows: [name: string, ok: boolean][]) =>
  rows.map(([name, ok]): Case => ({ what: `the name ${name.slice(0, 70)} (${name.length})`, kind, name, spec, ok }));

const KIB = 1024;
const a = (length: number) => 'a'.repeat(length);

/** `count` limits of one field: exactly as much is taken, one more is not. */
const limit = (what: string, max: number, spec: (text: string) => Spec): Row[] => [
  [`${what} of ${max}`, spec(a(max)), true],
  [`${what} of ${max + 1}`, spec(a(max + 1)), false],
];

const items = (what: string, max: number, spec: (list: number[]) => Spec): Row[] => [
  [`${max} ${what}`, spec(Array.from({ length: max }, (_, i) => i)), true],
  [`${max + 1} ${what}`, spec(Array.from({ length: max + 1 }, (_, i) => i)), false],
];

const each = (what: string, values: unknown[], spec: (value: unknown) => Spec, ok: boolean): Row[] =>
  values.map((value) => [`${what} ${JSON.stringify(value)?.slice(0, 60)}`, spec(value), ok]);

const prompts: Row[] = [
  ...[1, 127 * KIB, 129 * KIB, 256 * KIB].map((n): Row => [`a prompt of ${n} bytes`, { prompt: a(n) }, true]),
  ...[0, 256 * KIB + 1, KIB * KIB].map((n): Row => [`a prompt of ${n} bytes`, { prompt: a(n) }, false]),
  ['a prompt of 256 KiB in emoji', { prompt: '😀'.repeat(64 * KIB) }, true],
  ['a prompt of 256 KiB and 4 bytes in emoji', { prompt: '😀'.repeat(64 * KIB + 1) }, false],
  ['a prompt of 256 KiB in umlauts', { prompt: 'ä'.repeat(128 * KIB) }, true],
  ['a prompt of 256 KiB and 2 bytes in umlauts', { prompt: 'ä'.repeat(128 * KIB + 1) }, false],
  ...each(
    'the prompt',
    [
      '"\'`',
      '$(rm -rf /) $HOME `id` $$',
      'a\u0000b',
      'a\u2028b\u2029',
      '👩‍👩‍👧‍👦',
      'שלום \u202eעולם',
      '-',
      '\r\n',
      ' ',
    ],
    (prompt) => ({ prompt }),
    true,
  ),
  ...each('the prompt', [1, null, ['a'], {}], (prompt) => ({ prompt }), false),
];

const agents: Row[] = [
  ['no agent', {}, true],
  ...each('the preset', ['claude-code', 'codex', 'rehearsal'], (name) => ({ agent: { name } }), true),
  ['another agent without a command', { agent: { name: 'other' } }, false],
  ['another agent with an empty command', { agent: { name: 'other', command: [] } }, false],
  ['another agent with a command', { agent: { name: 'other', command: ['run'] } }, true],
  ['a command of an empty word', { agent: { name: 'other', command: [''] } }, false],
  ...items('words of a command', 16, (list) => ({ agent: { command: list.map(String) } })),
  ...items('arguments', 32, (list) => ({ agent: { args: list.map(String) } })),
  ...limit('an argument', 512, (text) => ({ agent: { args: [text] } })),
  ...limit('an image', 512, (image) => ({ agent: { image } })),
  ...limit('a model', 256, (model) => ({ agent: { model } })),
  ...limit('a variable', 32768, (value) => ({ agent: { env: [{ name: 'A', value }] } })),
  ...each(
    'a variable of 32768 bytes',
    ['é'.repeat(16384)],
    (value) => ({ agent: { env: [{ name: 'A', value }] } }),
    true,
  ),
  ...each(
    'a variable of more than 32768 bytes',
    ['é'.repeat(16385)],
    (value) => ({ agent: { env: [{ name: 'A', value }] } }),
    false,
  ),
  ...each('the variable', ['A', '_a1', 'TINY_CONFIG'], (name) => ({ agent: { env: [{ name, value: '' }] } }), true),
  ...each(
    'the variable',
    ['', '1A', 'A-B', 'A=B', 'A\n'],
    (name) => ({ agent: { env: [{ name, value: '' }] } }),
    false,
  ),
  ...items('variables', 64, (list) => ({ agent: { env: list.map((n) => ({ name: `V${n}`, value: '' })) } })),
];

const parts: Row[] = [
  ...each('the ref', ['main', 'v1.0', 'feature/x', 'a@b', 'A+b', '_x'], repositoryWith('ref'), true),
  ...each('the ref', ['', '-x', '--upload-pack=x', 'a b', 'a~1', 'a:b', 'a\n', a(256)], repositoryWith('ref'), false),
  ...each('the depth', [0, 1, 1_000_000], repositoryWith('depth'), true),
  ...each('the depth', [-1, 1.5, 1_000_001, '1'], repositoryWith('depth'), false),
  ...each('the git Secret', ['git', 'a.b-c', a(253)], repositoryWith('credentialsSecret'), true),
  ...each('submodules', [true, false], repositoryWith('submodules'), true),
  ...each('the author', [{}, { name: 'Bot' }, { email: 'a@b' }], repositoryWith('author'), true),
  ...each(
    'the author',
    [{ name: 'a <b>' }, { name: 'a\nb' }, { name: '' }, { email: 'a b' }],
    repositoryWith('author'),
    false,
  ),
  ...each('the push', [{}, { unasked: true }, { pullRequests: { provider: 'gitlab' } }], pushed, true),
  ...each(
    'the push',
    [{ credentialsSecret: 'A' }, { pullRequests: {} }, { pullRequests: { provider: 'x' } }],
    pushed,
    false,
  ),
  ...each('the API', ['https://h', 'https://h.example:8443/api/v3', 'https://10.1.2.3/api/v4'], api, true),
  ...each('the API', ['http://h', 'https://h/', 'https://u@h', 'https://h/a?b', 'https://h/../x y'], api, false),
  ...each(
    'the API',
    ['https://169.254.169.254', 'https://169.254.169.254/x', 'https://metadata', 'https://2852039166'],
    api,
    false,
  ),
  ...each('the git Secret', ['', 'A', '-a', 'a/b', '..', a(254)], repositoryWith('credentialsSecret'), false),
  ['a Secret', { credentials: [{ secret: 'anthropic' }] }, true],
  ...items('Secrets', 16, (list) => ({ credentials: list.map((n) => ({ secret: `s${n}` })) })),
  ...each('the size', ['1Gi', '500Mi', '10', '0.5Ti'], (size) => ({ storage: { size } }), true),
  ...each('the size', ['', '-1Gi', '1gi', 'big', '1e3', 5], (size) => ({ storage: { size } }), false),
  ...each('the access mode', ['ReadWriteOnce', 'ReadWriteMany'], (accessMode) => ({ storage: { accessMode } }), true),
  ...each('the access mode', ['ReadOnlyMany', '', 'RWO'], (accessMode) => ({ storage: { accessMode } }), false),
  ...each(
    'the data source',
    [{ kind: 'VolumeSnapshot', name: 's' }],
    (dataSource) => ({ storage: { dataSource } }),
    true,
  ),
  ...each('the data source', [{ kind: 'VolumeSnapshot' }, {}], (dataSource) => ({ storage: { dataSource } }), false),
  ...each(
    'the address range',
    ['10.0.0.0/8', '::/0', 'fd00::/8'],
    (cidr) => ({ network: { egress: [{ cidr }] } }),
    true,
  ),
  ...each('the address range', ['10.0.0.0', 'host/8', ''], (cidr) => ({ network: { egress: [{ cidr }] } }), false),
  ...each('the port', [1, 65535], (port) => ({ network: { egress: [{ cidr: '::/0', ports: [port] }] } }), true),
  ...each('the port', [0, 65536, '80'], (port) => ({ network: { egress: [{ cidr: '::/0', ports: [port] }] } }), false),
  ...each('the approvals', [[], ['execute'], ['read', 'edit']], (allow) => ({ approvals: { allow } }), true),
  ...each('the approvals', [['all'], 'read', [null]], (allow) => ({ approvals: { allow } }), false),
  ...each('the approvals', [['run'], ['network', 'fetch']], (allow) => ({ approvals: { allow } }), true),
  ...each(
    'the command',
    ['git status', 'npm run *', 'npm run test:*', 'make', './gradlew -Pci=1 test', `x ${a(254)}`],
    (one) => ({ approvals: { commands: [one] } }),
    true,
  ),
  ...each(
    'the command',
    [
      ...[
        '',
        '*',
        'npm *  x',
        ' npm',
        'npm ',
        'A=b npm',
        'n*m test',
        'a;b',
        'a && b',
        'a | b',
        'a > b',
        'a\nb',
        'a\tb',
      ],
      ...[
        '$(a)',
        '`a`',
        'a $B',
        "a 'b'",
        'a "b"',
        'a \\b',
        'a ~',
        'a ?',
        'a [b]',
        'a {b,c}',
        'a #',
        'a !',
        'a \u00a0b',
        'ä',
      ],
      ...[`x ${a(255)}`, 'a\n'],
    ],
    (one) => ({ approvals: { commands: [one] } }),
    false,
  ),
  ...items('commands', 64, (list) => ({ approvals: { commands: list.map((n) => `make t${n}`) } })),
  ...each(
    'the budget',
    [{}, { tokens: 1 }, { cost: { amount: '2.50', currency: 'USD' } }],
    (budget) => ({ budget }),
    true,
  ),
  ...each(
    'the budget',
    [{ tokens: 0 }, { tokens: 1.5 }, { tokens: '1M' }, { cost: { amount: '5' } }],
    (budget) => ({ budget }),
    false,
  ),
  ...each(
    'the amount',
    ['0', '5', '0.000001', '999999999.999999'],
    (amount) => ({ budget: { cost: { amount, currency: 'credits' } } }),
    true,
  ),
  ...each(
    'the amount',
    ['', '-1', '.5', '5.', '1e3', '0.0000001', '1234567890', 5, '1,5'],
    (amount) => ({ budget: { cost: { amount, currency: 'USD' } } }),
    false,
  ),
  ...each('the deadline', ['90s', '1h30m', '1h', '999999h'], (deadline) => ({ deadline }), true),
  ...each(
    'the deadline',
    ['', 's', '1d', '-1h', '1m1h', '1.5h', 90, '1 h', '1234567h'],
    (deadline) => ({ deadline }),
    false,
  ),
  ...each('the time', ['2026-11-30T12:00:00Z', '2026-11-30T12:00:00.5+01:00'], (touched) => ({ touched }), true),
  ...each(
    'the time',
    ['', 'now', '2026-11-30', '2026-13-01T00:00:00Z', '2026-02-30T00:00:00Z', '2026-11-30T12:00Z'],
    (touched) => ({ touched }),
    false,
  ),
  ...each('the toleration', [{}, { operator: 'Exists' }], (one) => ({ tolerations: [one] }), true),
  ...each('the toleration', [{ operator: 'Maybe' }, { effect: 'No' }], (one) => ({ tolerations: [one] }), false),
  ['64 node labels', { nodeSelector: Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`l${i}`, 'x'])) }, true],
  ['a node label of 1025', { nodeSelector: { l: a(1025) } }, false],
  ...each('suspend', [true, false], (suspend) => ({ suspend }), true),
  ...each('suspend', ['true', 1], (suspend) => ({ suspend }), false),
  ...items('messages', 64, (list) => ({ messages: list.map((n) => ({ id: `m${n}`, text: 't' })) })),
  ...limit('a message', 16384, (text) => ({ messages: [{ id: 'm', text }] })),
  ['an empty message', { messages: [{ id: 'm', text: '' }] }, false],
  ['a parent of 40', { parent: a(40) }, true],
  ['a parent of 41', { parent: a(41) }, false],
  ['a requester without a name', { requester: { username: '' } }, false],
  ['a requester', { requester: { username: 'x', uid: 'u', groups: ['g'], extra: { 'a/b': ['c'] } } }, true],
];

function pushed(push: unknown): Spec {
  return { repository: { url: 'https://github.com/a/b', push: { credentialsSecret: 'push', ...(push as object) } } };
}

function api(url: unknown): Spec {
  return pushed({ pullRequests: { provider: 'github', api: url } });
}

function repositoryWith(field: string) {
  return (value: unknown): Spec => ({ repository: { url: 'https://github.com/a/b', [field]: value } });
}

const NAMES: [string, boolean][] = [
  ...['a', '0', 'a-b', a(39), a(40)].map((name): [string, boolean] => [name, true]),
  ...[a(41), a(63), 'a.b'].map((name): [string, boolean] => [name, false]),
];

const change = (kind: Case['kind'], rows: [what: string, old: Spec, spec: Spec, ok: boolean][]): Case[] =>
  rows.map(([what, old, spec, ok]) => ({ what, kind, old, spec, ok }));

const P = { prompt: 'p' };
const repo = (url: string, more = {}) => ({ ...P, repository: { url, ...more } });
const said = (...texts: string[]) => ({ ...P, messages: texts.map((text, i) => ({ id: `m${i}`, text })) });
const changes = change('Session', [
  ['another prompt', P, { prompt: 'q' }, false],
  ['another agent', P, { ...P, agent: { name: 'codex' } }, false],
  ['another model', P, { ...P, agent: { model: 'm' } }, true],
  ['a repository where none was', P, repo('https://h/a'), false],
  ['no repository any more', repo('https://h/a'), P, false],
  ['another repository', repo('https://h/a'), repo('https://h/b'), false],
  ['another depth', repo('https://h/a'), repo('https://h/a', { depth: 0 }), true],
  ['a parent where none was', P, { ...P, parent: 'x' }, false],
  ['no parent any more', { ...P, parent: 'x' }, P, false],
  ['another parent', { ...P, parent: 'x' }, { ...P, parent: 'y' }, false],
  ['suspended', P, { ...P, suspend: true }, true],
  ['a first message', P, said('a'), true],
  ['a further message', said('a'), said('a', 'b'), true],
  ['a message less', said('a', 'b'), said('a'), false],
  [
    'a message before those that were sent',
    said('a'),
    { ...P, messages: [{ id: 'x', text: 'b' }, ...said('a').messages] },
    false,
  ],
  ['messages in another order', said('a', 'b'), { ...P, messages: said('a', 'b').messages.toReversed() }, false],
  [
    'two further messages, the last first',
    said('a'),
    { ...P, messages: [...said('a').messages, { id: 'z', text: 'b' }, { id: 'b', text: 'c' }] },
    true,
  ],
  ['no message any more', said('a'), P, false],
  ['a message in other words', said('a', 'b'), said('a', 'c'), false],
  ['a message with another id', said('a'), { ...P, messages: [{ id: 'x', text: 'a' }] }, false],
  ['touched', P, { ...P, touched: '2026-11-30T12:00:00Z' }, true],
]);

export const ASK = { session: 's', kind: 'Ask', text: 't' };
const allow = { id: 'allow', text: 'Yes', effect: 'Allow' };
const always = { id: 'allow-always', text: 'Always', effect: 'AllowAlways' };
const deny = { id: 'deny', text: 'No', effect: 'Deny' };
const never = { id: 'deny-always', text: 'Never', effect: 'DenyAlways' };
const plain = { id: 'x', text: 'X' };
const call = { id: 'c', title: 'rm' };
const permit = { ...ASK, kind: 'Permit', options: [allow, deny], toolCall: call };
const spawn = { ...ASK, kind: 'Spawn', options: [allow, deny], spawn: { name: 'c', spec: P } };
const one = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'p', name: 'app', fields: '{"data":{}}' };
const apply = { ...ASK, kind: 'Apply', options: [allow, deny], apply: { objects: [one] } };
const applying = (more: object) => ({ ...apply, apply: { objects: [{ ...one, ...more }] } });
const proposing = (spec: Spec, name = 'c') => ({ ...spawn, spawn: { name, spec: { ...P, ...spec } } });

const question = (rows: Row[]): Case[] => rows.map(([what, spec, ok]) => ({ what, kind: 'Question', spec, ok }));

const questions = question([
  ['an Ask', ASK, true],
  ['an Ask with options', { ...ASK, options: [plain, allow] }, true],
  ['a Permit', permit, true],
  ['a Spawn', spawn, true],
  ['an Apply', apply, true],
  ['an Apply that takes over', { ...apply, apply: { objects: [one], force: true } }, true],
  ['an unknown kind', { ...ASK, kind: 'Delete' }, false],
  ['an Apply without objects', { ...apply, apply: undefined }, false],
  ['an Apply of none', { ...apply, apply: { objects: [] } }, false],
  ['an Apply of 16', { ...apply, apply: { objects: Array(16).fill(one) } }, true],
  ['an Apply of 17', { ...apply, apply: { objects: Array(17).fill(one) } }, false],
  ['an Apply with a spawn', { ...apply, spawn: spawn.spawn }, false],
  ['an Ask with objects', { ...ASK, apply: apply.apply }, false],
  ['an Apply that can only be allowed', { ...apply, options: [allow] }, false],
  ['an Apply outside of namespaces', applying({ namespace: undefined }), false],
  ['an Apply of a group', applying({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding' }), true],
  ['an Apply of a version that is a path', applying({ apiVersion: '../v1' }), false],
  ['an Apply of a kind that is a path', applying({ kind: 'A/b' }), false],
  ['an Apply of a name that is a path', applying({ name: '../x' }), false],
  ['an Apply as long as may be', applying({ fields: 'x'.repeat(32_768) }), true],
  ['an Apply longer than that', applying({ fields: 'x'.repeat(32_769) }), false],
  ['no session', { kind: 'Ask', text: 't' }, false],
  ['a Permit without a tool call', { ...permit, toolCall: undefined }, false],
  ['a Permit with a spawn', { ...permit, spawn: spawn.spawn }, false],
  ['a Spawn without a spawn', { ...spawn, spawn: undefined }, false],
  ['a Spawn with a tool call', { ...spawn, toolCall: call }, false],
  ['an Ask with a tool call', { ...ASK, toolCall: call }, false],
  ['an Ask with a spawn', { ...ASK, spawn: spawn.spawn }, false],
  ['a Permit without options', { ...permit, options: undefined }, false],
  ['a Permit with no options', { ...permit, options: [] }, false],
  ['a Permit that can only be denied', { ...permit, options: [deny] }, false],
  ['a Permit that can only be allowed', { ...permit, options: [allow, always] }, false],
  ['a Spawn that can only be allowed', { ...spawn, options: [allow] }, false],
  ['a Permit of all four options', { ...permit, options: [allow, always, deny, never] }, true],
  ['a Permit that is allowed or denied for ever alone', { ...permit, options: [always, never] }, true],
  ['a Permit whose yes is called deny', { ...permit, options: [{ ...allow, id: 'deny-not' }, deny] }, false],
  ['a Permit whose no is called allow', { ...permit, options: [allow, { ...deny, id: 'allow-not' }] }, false],
  ['a Permit whose yes is called something else', { ...permit, options: [{ ...allow, id: 'yes' }, deny] }, false],
  ['a Spawn whose no is called something else', { ...spawn, options: [allow, { ...never, id: 'no' }] }, false],
  [
    'a Permit with further ids',
    {
      ...permit,
      options: [
        { ...allow, id: 'allow-2' },
        { ...deny, id: 'deny2' },
      ],
    },
    true,
  ],
  ['an Ask whose options are called as one likes', { ...ASK, options: [{ ...allow, id: 'no' }] }, true],
  ['a Permit with an option of no effect', { ...permit, options: [allow, plain] }, false],
  ['a Spawn with an option of no effect', { ...spawn, options: [allow, plain] }, false],
  ['a default that denies', { ...permit, defaultOption: 'deny' }, true],
  ['a default that allows', { ...permit, defaultOption: 'allow' }, false],
  ['a default that always allows', { ...permit, options: [allow, always], defaultOption: 'allow-always' }, false],
  ['a default of an Ask that allows', { ...ASK, options: [allow], defaultOption: 'allow' }, false],
  ['a default of an Ask', { ...ASK, options: [plain], defaultOption: 'x' }, true],
  ['a default that is no option', { ...permit, defaultOption: 'maybe' }, false],
  ['a default without options', { ...ASK, defaultOption: 'x' }, false],
  ['answered from the start', { ...ASK, answer: { text: 'a' } }, false],
  ...items('options', 16, (list) => ({ ...ASK, options: list.map((n) => ({ id: `o${n}`, text: 'T' })) })),
  ...limit('a text', 16384, (text) => ({ ...ASK, text })),
  ...limit('an input', 65536, (input) => ({ ...permit, toolCall: { ...call, input } })),
  ...limit('a diff', 262144, (diff) => ({ ...permit, toolCall: { ...call, diff } })),
  ['an unknown kind of call', { ...permit, toolCall: { ...call, kind: 'sudo' } }, false],
  ['a child with a name of 40', proposing({}, a(40)), true],
  ['a child with a name of 41', proposing({}, a(41)), false],
  ['a child with the name ..', proposing({}, '..'), false],
  ['a child with a prompt that is too long', proposing({ prompt: a(256 * KIB + 1) }), false],
  ['a child with a metadata address', proposing({ repository: { url: 'https://169.254.169.254/x' } }), false],
  ['a child with a local path', proposing({ repository: { url: '/etc' } }), false],
  ['a child with an unknown agent', proposing({ agent: { name: 'other' } }), false],
]);

const reworded = { ...spawn, spawn: { name: 'c', spec: { prompt: 'other' } } };
const DIGEST = 'a'.repeat(64);
const yes = (more: object = {}) => ({ answer: { option: 'allow', ...more } });

const questionChanges = change('Question', [
  ['a yes to an Apply', apply, { ...apply, ...yes() }, true],
  ['a yes to what was shown', apply, { ...apply, ...yes({ shown: [DIGEST] }) }, true],
  ['a yes to more than there is', apply, { ...apply, ...yes({ shown: [DIGEST, DIGEST] }) }, false],
  ['a yes to what is no digest', apply, { ...apply, ...yes({ shown: ['A'.repeat(64)] }) }, false],
  ['what was shown, of a Spawn', spawn, { ...spawn, ...yes({ shown: [DIGEST] }) }, false],
  ['other fields of an Apply', apply, applying({ fields: '{}' }), false],
  ['another object of an Apply', apply, applying({ name: 'other' }), false],
  ['an object more', apply, { ...apply, apply: { objects: [one, { ...one, name: 'b' }] } }, false],
  ['a force', apply, { ...apply, apply: { objects: [one], force: true } }, false],
  ['an Apply made of a Spawn', spawn, { ...apply }, false],
  ['answered in words', ASK, { ...ASK, answer: { text: 'a' } }, true],
  ['answered by nothing', ASK, { ...ASK, answer: {} }, false],
  [
    'answered by option and text',
    { ...ASK, options: [plain] },
    { ...ASK, options: [plain], answer: { option: 'x', text: 'a' } },
    false,
  ],
  ['answered by an option', permit, { ...permit, answer: { option: 'allow' } }, true],
  ['answered by an unknown option', permit, { ...permit, answer: { option: 'maybe' } }, false],
  ['an Ask without options, by an option', ASK, { ...ASK, answer: { option: 'allow' } }, false],
  ['a Permit answered in words', permit, { ...permit, answer: { text: 'yes' } }, false],
  ['answered and reworded at once', spawn, { ...reworded, answer: { option: 'allow' } }, false],
  [
    'answered twice the same',
    { ...permit, answer: { option: 'allow' } },
    { ...permit, answer: { option: 'allow' } },
    true,
  ],
  ['answered otherwise', { ...permit, answer: { option: 'allow' } }, { ...permit, answer: { option: 'deny' } }, false],
  ['the answer taken back', { ...permit, answer: { option: 'allow' } }, permit, false],
  [
    'another stamp on the answer',
    { ...permit, answer: { option: 'allow', by: { username: 'a' } } },
    { ...permit, answer: { option: 'allow', by: { username: 'b' } } },
    false,
  ],
  ['another text', ASK, { ...ASK, text: 'u' }, false],
  ['another session', ASK, { ...ASK, session: 'u' }, false],
  ['another kind', spawn, permit, false],
  ['another spawn', spawn, reworded, false],
  ['another call', permit, { ...permit, toolCall: { ...call, title: 'ls' } }, false],
  ['an option more', permit, { ...permit, options: [allow, deny, always] }, false],
  ['another effect', permit, { ...permit, options: [allow, { ...deny, effect: 'Allow' }] }, false],
  ['an expiry', ASK, { ...ASK, expiresAt: '2026-11-30T12:00:00Z' }, false],
  ['no expiry any more', { ...ASK, expiresAt: '2026-11-30T12:00:00Z' }, ASK, false],
  ['a default', permit, { ...permit, defaultOption: 'deny' }, false],
  [
    'the same in another order of keys',
    spawn,
    {
      spawn: { spec: P, name: 'c' },
      text: 't',
      options: [{ effect: 'Allow', text: 'Yes', id: 'allow' }, deny],
      kind: 'Spawn',
      session: 's',
    },
    true,
  ],
]);

/** Repository URLs that are taken. */
export const GOOD_URLS = [
  'https://github.com/a/b',
  'https://github.com/a/b.git',
  'http://127.0.0.1:8080/repo.git',
  'http://localhost/repo',
  'https://git.example.org:8443/a/b',
  'https://xn--bcher-kva.example/a',
  'https://host_name/a',
  'https://h/a@b:c',
  'https://metadata-store.example.org/a',
  'https://10.0.0.7/a',
  'ssh://git@github.com/a/b',
  'ssh://git@github.com:2222/a/b',
  'ssh://host/a',
  'git@github.com:a/b.git',
  'git@10.0.0.7:a',
  'deploy.user@host:~/repo',
  'https://169.254.example.org/a',
  'https://1.2.3.4/a',
];

/** What is no remote URL, or carries credentials, or would be read as something else. */
export const FORM_URLS = [
  '/etc/passwd',
  './repo',
  '../repo',
  'repo',
  'C:\\repo',
  'file:///etc',
  'FILE:///etc',
  'ext::sh -c id',
  'fd::17',
  'git://h/a',
  'ftp://h/a',
  'HTTPS://h/a',
  '-uhttps://h/a',
  '--upload-pack=id',
  '-x@host:a',
  ' https://h/a',
  'https://',
  'https:///a',
  'https://h',
  'https://h/',
  'https://user@h/a',
  'https://user:password@h/a',
  'https://:password@h/a',
  'ssh://user:password@h/a',
  'user:password@h:a',
  'https://a@b@h/a',
  'https://h:port/a',
  'https://h:80:80/a',
  'git@h:/etc/passwd',
  'git@-oProxyCommand=id:a',
  'ssh://-oProxyCommand=id/a',
  'ssh://git@-oProxyCommand=id/a',
  'ssh://-x@h/a',
  'https://-h/a',
  'https://h/a\nb',
  'https://h/a\u0000b',
  'https://h/a b',
  'https://h/a\tb',
  'https://h\\@169.254.169.254/a',
  'https://169.254.169.254?x/a',
  'https://169.254.169.254#x/a',
  'https://169.254.169.254\t/a',
  'https://%31%36%39.254.169.254/a',
  'https://169%2e254.169.254/a',
  'https://１６９.254.169.254/a',
  'https://169。254。169。254/a',
  'https://metadata。google。internal/a',
  'https://ｍetadata/a',
  'https://①⑥⑨.254.169.254/a',
  'https://h\u200b/a',
  'https://[::1]/a',
  'https://[fd00:ec2::254]/a',
  'https://[::ffff:169.254.169.254]/a',
  'git@[::1]:a',
];

/** Hosts that clouds keep credentials at, in each disguise that a resolver takes. */
export const METADATA_HOSTS = [
  '169.254.169.254',
  '169.254.169.254.',
  '169.254.170.2',
  '169.254.0.1',
  '2852039166',
  '2852039166.',
  '0xA9FEA9FE',
  '0xa9fea9fe.',
  '0XA9FEA9FE',
  '025177524776',
  '0251.0376.0251.0376',
  '0xa9.0xfe.0xa9.0xfe',
  '169.0xfe.169.254',
  '169.254.43518',
  '169.16689662',
  '169.254.169.0376',
  '169.254.0xa9fe',
  '0251.254.169.254',
  '100.100.100.200',
  '100.100.100.200.',
  'metadata',
  'metadata.',
  'METADATA',
  'metadata.google.internal',
  'Metadata.Google.Internal.',
  'metadata.goog',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
];

export const METADATA_URLS = METADATA_HOSTS.flatMap((host) => [
  `https://${host}/latest`,
  `http://${host}:80/latest`,
  `ssh://${host}/x`,
  `ssh://git@${host}:22/x`,
  `git@${host}:x`,
]);

const url = (text: string, ok: boolean): Row => [`the URL ${JSON.stringify(text)}`, { repository: { url: text } }, ok];

export const CASES: Case[] = [
  ...session([...prompts, ...agents, ...parts]),
  ...session(GOOD_URLS.map((text) => url(text, true))),
  ...session([...FORM_URLS, ...METADATA_URLS].map((text) => url(text, false))),
  ...session([url(`https://h/${a(2038)}`, true), url(`https://h/${a(2039)}`, false)]),
  ...named('Session', P)(NAMES),
  ...named(
    'Question',
    ASK,
  )([
    [a(63), true],
    [a(64), false],
    ['a.b', false],
  ]),
  ...changes,
  ...questions,
  ...questionChanges,
];
