/** Pushing: through the real git, from a clone that an agent may have set traps in, to a server that tests start. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PushedRepository } from '../../agent/env.ts';
import type { Forge } from '../../agent/forge/request.ts';
import { BUNDLE_SOCKET, serveBundles } from '../../agent/harness/bundle-server.ts';
import { makePush, type Push } from '../../agent/push/push.ts';
import { makeRedactor } from '../../agent/redact.ts';
import { listenAt } from '../../agent/sockets.ts';
import { makeAsking } from '../../agent/tools/asking.ts';
import { ownSession } from '../../agent/tools/own-session.ts';
import { makeQuestions } from '../../agent/tools/questions.ts';
import { makeStatusWriter } from '../../agent/tools/status-writer.ts';
import { openPullRequest, push } from '../../agent/tools/tool-push.ts';
import { makeWaiting } from '../../agent/tools/waiting.ts';
import { type GitServer, startGitServer } from '../../local/git-server.ts';
import { type PretendedApi, pretendApi, SESSION_UID } from './pretended-api.ts';
import { makeRepositories, run } from './repositories.ts';

const credentials = { username: 'u', password: 'hunter2-hunter2' };
let folder: string;
let seed: { first: string; head: string };
let server: GitServer;
let bundles: Server | undefined;
let api: PretendedApi;
const made = mkdtempSync(join(tmpdir(), 'seed-'));
/** The remote and the agent's clone, to be copied: each git that is not started is time. */
const template = join(made, 'template');
beforeAll(() => {
  seed = makeRepositories(made);
  mkdirSync(template);
  run(template, 'clone', '--quiet', '--bare', join(made, 'repo.git'), 'repo.git');
  run(template, 'clone', '--quiet', '--depth=1', `file://${template}/repo.git`, 'work');
  run(join(template, 'work'), 'checkout', '--quiet', '-b', 'tiny/s');
});
afterAll(() => rmSync(made, { recursive: true }));
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'push-'));
  cpSync(template, folder, { recursive: true });
  server = await startGitServer({ root: folder, port: 0, pushes: true, credentials });
  for (const name of ['run', 'state', 'secret', 'temporary']) mkdirSync(join(folder, name));
  for (const [key, value] of Object.entries(credentials)) writeFileSync(join(folder, 'secret', key), value);
  api = pretendApi('s', { prompt: 'x', agent: { name: 'rehearsal' }, requester: { username: 'alice' } });
  bundles = await serveBundles({ run: join(folder, 'run'), folder: work(), base: () => seed.head, env: environment() });
});
afterEach(async () => {
  bundles?.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

const work = () => join(folder, 'work');
const remote = () => join(folder, 'repo.git');
const environment = () => ({ PATH: process.env['PATH'] ?? '' });
const identity = () => ({
  namespace: 'p',
  session: 's',
  sessionUid: SESSION_UID,
  run: join(folder, 'run'),
  state: join(folder, 'state'),
});
const tip = (branch = 'tiny/s') => run(remote(), 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`);
const head = () => run(work(), 'rev-parse', 'HEAD');

function commit(name: string, text = 'x\n'): string {
  writeFileSync(join(work(), name), text);
  run(work(), 'add', '--all');
  run(work(), '-c', 'user.name=bot', '-c', 'user.email=bot@x', 'commit', '--quiet', '--no-verify', '-m', `Add ${name}`);
  return head();
}

const pusher = (more: Partial<PushedRepository['push']> = {}): Push =>
  makePush({
    identity: identity(),
    repository: { url: `${server.url}/repo.git`, ref: undefined, push: { unasked: false, ...more } },
    credentials: join(folder, 'secret'),
    path: environment().PATH,
    temporary: join(folder, 'temporary'),
  });

/** The tool as the agent calls it; `answer` is what a person does when they see the Question. */
function tools({ answer = 'allow', unasked = false }: { answer?: string | (() => string); unasked?: boolean } = {}) {
  const clock = {
    now: () => 0,
    random: () => 0,
    sleep: async () => {
      const open = api.questions().find(({ spec }) => !spec.answer);
      if (open) api.answer(open.metadata.name, { option: typeof answer === 'string' ? answer : answer() });
    },
  };
  const { signal } = new AbortController();
  const now = () => new Date(0);
  const session = ownSession(api.client, identity());
  const questions = makeQuestions({ client: api.client, identity: identity(), session, now });
  const status = makeStatusWriter({ client: api.client, session, file: join(folder, 'state', 'status.json'), now });
  const waiting = makeWaiting({ status, log: () => {}, patience: () => undefined, clock, signal });
  const asking = makeAsking({ questions, waiting, folder: join(folder, 'state'), clock });
  const opened: object[] = [];
  const forge: Forge = {
    open: async (request) => {
      opened.push({ ...request, tip: tip(request.branch) });
      return 'https://git.example/pull/1';
    },
  };
  const redact = () => makeRedactor([credentials.password]);
  const pushing = { push: pusher({ unasked }), forge, asking, status, redact };
  const context = { session: 's', now, signal, progress: () => {} };
  return {
    opened,
    push: () => push(pushing, context),
    open: (input: { title: string; body: string; base?: string }) =>
      openPullRequest(pushing, { input, session: api.session() }, context),
  };
}

describe('a push', () => {
  it('is asked for with all that it does, and does exactly that', async () => {
    commit('a', 'hello\n');
    const id = commit('b');
    expect(await tools().push()).toContain(`Pushed: the branch tiny/s is ${id}, 2 commits`);
    expect(tip()).toBe(id);
    const [question] = api.questions();
    expect(question?.spec).toMatchObject({
      kind: 'Permit',
      text: expect.stringMatching(
        /push 2 commits to the branch tiny\/s of http.*\n\n.*Add b\n.*Add a\n\n(.*\n)*.*2 files changed/,
      ),
      toolCall: { diff: expect.stringContaining('+hello') },
    });
    expect(JSON.parse(question?.spec.toolCall?.input ?? '')).toMatchObject({
      remote: `${server.url}/repo.git`,
      branch: 'tiny/s',
      commit: id,
    });
    expect(api.session().status?.result).toEqual({ pushed: { branch: 'tiny/s', commit: id } });
  });

  it('pushes what was shown, though the agent has committed more since', async () => {
    const shown = commit('a');
    const more = () => {
      commit('backdoor');
      return 'allow';
    };
    await tools({ answer: more }).push();
    expect(tip()).toBe(shown);
    expect(head()).not.toBe(shown);
  });

  it('that somebody says no to pushes nothing, and can be asked for again', async () => {
    commit('a');
    await expect(tools({ answer: 'deny' }).push()).rejects.toThrow('said no');
    expect(tip()).toBe('');
    await tools().push();
    expect(api.questions()).toHaveLength(2);
    expect(tip()).toBe(head());
  });

  it('that was allowed holds for that commit after a kill, and for no other', async () => {
    commit('a');
    await tools().push();
    run(remote(), 'update-ref', '-d', 'refs/heads/tiny/s');
    await tools({ answer: 'deny' }).push();
    expect(tip()).toBe(head());
    commit('b');
    await expect(tools({ answer: 'deny' }).push()).rejects.toThrow('said no');
  });

  it('of what is there already asks nobody', async () => {
    commit('a');
    await tools().push();
    expect(await tools({ answer: 'deny' }).push()).toContain('Already there');
    expect(api.questions()).toHaveLength(1);
  });

  it('of nothing says so', async () => {
    await expect(tools().push()).rejects.toThrow('no commit beyond');
  });

  it('needs no yes where the spec says so', async () => {
    commit('a');
    await tools({ unasked: true }).push();
    expect(api.questions()).toEqual([]);
    expect(tip()).toBe(head());
  });

  it('of commits that were changed since replaces what this Session pushed, and says so', async () => {
    commit('a');
    await tools().push();
    const before = head().slice(0, 12);
    run(work(), '-c', 'user.name=b', '-c', 'user.email=b@x', 'commit', '--quiet', '--amend', '-m', 'Better');
    await tools().push();
    expect(tip()).toBe(head());
    expect(api.questions().some(({ spec }) => spec.text.includes(`in place of ${before} that it pushed before`))).toBe(
      true,
    );
  });

  it("leaves somebody else's branch of its name alone, and takes another", async () => {
    run(remote(), 'update-ref', 'refs/heads/tiny/s', foreign());
    commit('a');
    expect(await tools().push()).toContain('tiny/s-11111111');
    expect(tip()).not.toBe(head());
    expect(tip('tiny/s-11111111')).toBe(head());
    run(remote(), 'update-ref', 'refs/heads/tiny/s-11111111', foreign());
    commit('b');
    await expect(tools().push()).rejects.toThrow("not this Session's");
  });

  it('does not go over what somebody put there between the look and the push', async () => {
    commit('a');
    const other = foreign();
    const meanwhile = () => {
      run(remote(), 'update-ref', 'refs/heads/tiny/s', other);
      return 'allow';
    };
    await expect(tools({ answer: meanwhile }).push()).rejects.toThrow('has changed on the remote');
    expect(tip()).toBe(other);
  });

  it('that the remote refuses says why, without the credential', async () => {
    writeFileSync(join(folder, 'secret', 'password'), 'wrong-password');
    commit('a');
    await expect(tools().push()).rejects.toThrow(/refuses the credentials(?!.*wrong-password)/s);
  });
});

/** A commit of somebody else in the remote. */
const foreign = () =>
  run(
    remote(),
    '-c',
    'user.name=x',
    '-c',
    'user.email=x@y',
    'commit-tree',
    '-m',
    String(Math.random()),
    '-p',
    seed.head,
    `${seed.head}^{tree}`,
  );

describe('a pull request', () => {
  it('is asked for once with its push, and tells whose wish it was', async () => {
    const id = commit('a');
    const { open, opened } = tools();
    expect(await open({ title: 'Fix it', body: 'Because.' })).toContain('https://git.example/pull/1');
    expect(api.questions()).toHaveLength(1);
    expect(api.questions()[0]?.spec.text).toContain('open a pull request into main, "Fix it"');
    expect(JSON.parse(api.questions()[0]?.spec.toolCall?.input ?? '')).toMatchObject({
      pullRequest: { title: 'Fix it', body: 'Because.', base: 'main', draft: false },
    });
    expect(opened).toEqual([
      {
        title: 'Fix it',
        body: 'Opened by the agent of Session `p/s`, requested by `alice`.\n\n---\n\nBecause.',
        base: 'main',
        draft: false,
        branch: 'tiny/s',
        tip: id,
      },
    ]);
    expect(api.session().status?.result).toEqual({
      pushed: { branch: 'tiny/s', commit: id },
      pullRequest: 'https://git.example/pull/1',
    });
  });

  it('is opened as it was shown: without the value of a Secret', async () => {
    commit('a');
    const { open, opened } = tools({ unasked: true });
    await open({ title: `Use ${credentials.password}`, body: `It is ${credentials.password}.` });
    expect(opened).toMatchObject([{ title: 'Use [secret]', body: expect.stringContaining('\n\nIt is [secret].') }]);
  });

  it('has words of the agent in one line of what is asked, so that none of them passes for more', async () => {
    commit('a');
    await tools().open({ title: 'Fix"?\n\n  0123456789ab Harmless\u2028x\r\n\n a | 1 +', body: '' });
    expect(api.questions()[0]?.spec.text.split('\n')[0]).toContain('"Fix"? 0123456789ab Harmless x a | 1 +"?');
  });

  it('that somebody says no to is not opened', async () => {
    commit('a');
    const { open, opened } = tools({ answer: 'deny' });
    await expect(open({ title: 'Fix it', body: '' })).rejects.toThrow('said no');
    expect(opened).toEqual([]);
  });
});

describe('an agent that sets traps', () => {
  it('gets no code run by the tools, and no credential, out of its configuration, hooks, attributes and environment', async () => {
    commit('a');
    const ran = join(folder, 'ran');
    // The agent's own container runs this, as the agent may; there it has no credential to take.
    bundles?.close();
    const evil = `sh -c 'env > ${ran}; cat ${folder}/secret/password >> ${ran}'`;
    for (const key of [
      'core.sshCommand',
      'core.fsmonitor',
      'core.askPass',
      'core.gitProxy',
      'diff.external',
      'gpg.program',
    ])
      run(work(), 'config', key, evil);
    for (const [key, value] of [
      ['credential.helper', `!${evil}`],
      ['url.http://127.0.0.1:1/.insteadOf', server.url],
      ['url.http://127.0.0.1:1/.pushInsteadOf', server.url],
      ['http.proxy', 'http://127.0.0.1:1'],
      ['http.extraHeader', 'x: y'],
      ['remote.origin.pushurl', 'http://127.0.0.1:1/'],
      ['diff.evil.textconv', evil],
      ['filter.evil.clean', evil],
      ['protocol.allow', 'always'],
    ] as const)
      run(work(), 'config', key, value);
    writeFileSync(join(work(), '.gitattributes'), '* diff=evil filter=evil\n');
    writeFileSync(join(work(), '.gitmodules'), '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c evil\n');
    for (const hook of ['pre-push', 'post-update', 'update', 'reference-transaction'])
      writeFileSync(join(work(), '.git', 'hooks', hook), `#!/bin/sh\n${evil}\n`, { mode: 0o755 });
    const harmless = ['core.fsmonitor=false', 'filter.evil.clean=cat', 'core.hooksPath=/dev/null'].flatMap((one) => [
      '-c',
      one,
    ]);
    run(work(), ...harmless, 'add', '--all');
    run(work(), ...harmless, '-c', 'user.name=b', '-c', 'user.email=b@x', 'commit', '--quiet', '-m', 'Traps');
    rmSync(ran, { force: true });
    bundles = await serveBundles({
      run: join(folder, 'run'),
      folder: work(),
      base: () => seed.head,
      env: environment(),
    });
    await tools().push();
    expect(tip()).toBe(head());
    expect(existsSync(ran)).toBe(false);
  });

  it('can not hide commits by saying that they were there, where the remote has them on no branch of its own', async () => {
    // As in a fork or a pull request, whose commits a host serves by their ids.
    writeFileSync(join(work(), 'backdoor'), 'evil\n');
    const hidden = commit('more');
    run(remote(), 'fetch', '--quiet', work(), `${hidden}:refs/pull/1/head`);
    bundles?.close();
    bundles = await serveBundles({ run: join(folder, 'run'), folder: work(), base: () => hidden, env: environment() });
    const id = commit('harmless');
    await tools().push();
    expect(tip()).toBe(id);
    const [question] = api.questions();
    expect(question?.spec.text).toContain(`no branch that this Session was given`);
    expect(question?.spec.text).toContain(hidden.slice(0, 12));
    expect(question?.spec.toolCall?.diff).toContain('+evil');
  });

  it('may stand on an older commit of the branch, of which no more is shown than is new', async () => {
    commit('a');
    run(remote(), 'update-ref', 'refs/heads/main', foreign());
    await tools().push();
    const [question] = api.questions();
    expect(question?.spec.text).toMatch(/push 1 commit to(?!.*Careful)/s);
  });

  /** Something else than the harness answers at the socket: the agent can put anything there. */
  async function answering(reply: Buffer, code = 200): Promise<void> {
    bundles?.close();
    bundles = createServer((_request, response) => response.writeHead(code).end(reply));
    await listenAt(bundles, join(folder, 'run', BUNDLE_SOCKET));
  }

  it('can not pass off what undoes the branch for a small change to an older commit of it', async () => {
    run(work(), 'fetch', '--quiet', '--unshallow');
    const parents = ['-p', seed.first, '-p', seed.head];
    const by = ['-c', 'user.name=bot', '-c', 'user.email=bot@x'];
    const merge = run(work(), ...by, 'commit-tree', '-m', 'Merge', ...parents, `${seed.first}^{tree}`);
    run(work(), 'reset', '--quiet', '--hard', merge);
    const bundle = join(folder, 'bundle');
    run(work(), 'bundle', 'create', '--quiet', bundle, 'HEAD', `^${seed.first}`, `^${seed.head}`);
    const [magic = '', ...rest] = readFileSync(bundle, 'latin1').split('\n');
    const others = rest.filter((line) => !line.startsWith(`-${seed.first}`) && !line.startsWith(`-${seed.head}`));
    await answering(Buffer.from([magic, `-${seed.first} `, `-${seed.head} `, ...others].join('\n'), 'latin1'));
    await tools().push();
    const [question] = api.questions();
    expect(question?.spec.toolCall?.diff).toContain('\n-two\n');
  });

  it('can not push what it has added and taken out again without that being shown', async () => {
    commit('a');
    commit('leak', 'all that it knows\n');
    rmSync(join(work(), 'leak'));
    commit('b');
    await tools().push();
    const [question] = api.questions();
    expect(question?.spec.text).toContain('Careful: the commits hold more than stands at their end');
    expect(question?.spec.toolCall?.diff?.split('Commit by commit')[0]).not.toContain('all that it knows');
    expect(question?.spec.toolCall?.diff).toContain('+all that it knows');
  });

  it.each([
    ['nothing', Buffer.alloc(0), 'ends in its head'],
    ['another format', Buffer.from('# v3 git bundle\n@filter=blob:none\n\nPACK'), 'does not begin'],
    ['a head without end', Buffer.alloc(100_000, 'a'), 'longer than'],
    [
      'an option for a commit',
      Buffer.from('# v2 git bundle\n--upload-pack=x HEAD\n\nPACK'),
      'not one HEAD|more, or less',
    ],
    [
      'two branches',
      Buffer.from(`# v2 git bundle\n${'a'.repeat(40)} HEAD\n${'b'.repeat(40)} refs/heads/main\n\nPACK`),
      'more, or less',
    ],
    [
      'commits that nobody has',
      Buffer.from(`# v2 git bundle\n-${'b'.repeat(40)} x\n${'a'.repeat(40)} HEAD\n\nPACK`),
      'does not have|git failed',
    ],
    ['no pack', Buffer.from(`# v2 git bundle\n${'a'.repeat(40)} HEAD\n\nnot a pack at all`), 'git'],
  ])('by answering with %s is told so, and pushes nothing', async (_name, reply, words) => {
    await answering(reply);
    await expect(tools({ unasked: true }).push()).rejects.toThrow(new RegExp(words));
    expect(tip()).toBe('');
  });

  it('by a pack without the commit that it names pushes nothing', async () => {
    commit('a');
    const bundle = join(folder, 'bundle');
    run(work(), 'bundle', 'create', '--quiet', bundle, 'HEAD', `^${seed.head}`);
    const text = readFileSync(bundle, 'latin1').replace(`${head()} HEAD`, `${'a'.repeat(40)} HEAD`);
    await answering(Buffer.from(text, 'latin1'));
    await expect(tools({ unasked: true }).push()).rejects.toThrow('git');
    expect(tip()).toBe('');
  });
});
