import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { startGitServer } from '../../local/git-server.ts';
import type { PodOptions } from './pod.ts';
import { it, type MakePod } from './pod-test.ts';
import { run } from './repositories.ts';
import { script, setStage } from './stage.ts';

const { stage, url, podWith } = setStage();

describe.concurrent('a Session from the clone to its end', () => {
  it('plays a script and tells what came of it', async ({ makePod }) => {
    const prompt = script(
      { say: 'starting' },
      { status: 'writes a file' },
      { edit: { file: 'a/b.txt', text: 'hello\n' } },
      { run: 'echo more >> README.md' },
      { commit: 'Add b' },
      { say: 'all done' },
    );
    const pod = await podWith(makePod, { prompt }).start();
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    const { status } = pod.api.session();
    const clone = join(pod.folder, 'work', 'repo');
    const commit = run(clone, 'rev-parse', 'HEAD');
    expect(status?.result).toEqual({ summary: 'all done', branch: 'tiny/s', commit, commits: 1, filesChanged: 2 });
    expect(status).toMatchObject({ message: 'all done', usage: { turns: 1 }, agentSessionId: expect.any(String) });
    expect(pod.condition('Ready')).toMatchObject({ status: 'False', reason: 'Finished' });
    expect(run(clone, 'log', '-1', '--format=%an <%ae>')).toBe('tiny session s <s.p@tiny.invalid>');
    expect(pod.api.writes()).toBeLessThanOrEqual(3);
    expect(await pod.end('SIGTERM')).toBe(0);
  });

  it('goes on with messages after it has finished, each once and in order', async ({ makePod }) => {
    const pod = await podWith(makePod, { prompt: script({ say: 'hi' }) }).start();
    await pod.finished();
    pod.api.say('first message');
    pod.api.say(script({ say: 'second' }));
    await pod.until(() => pod.api.session().status?.messagesRead === 2);
    await pod.finished();
    expect(pod.prompts().slice(1)).toEqual(['first message', script({ say: 'second' })]);
    expect(pod.file('NOTES')).toBe('first message\n');
    expect(pod.api.session().status).toMatchObject({ usage: { turns: 3 }, result: { summary: 'second', commits: 1 } });
    await pod.end('SIGKILL');
    await pod.start();
    await pod.until(() => pod.condition('Ready')?.reason === 'Finished');
    expect(pod.prompts()).toHaveLength(3);
  });

  it('is ended at its deadline, in the middle of a turn', async ({ makePod }) => {
    const deadlineAt = new Date(Date.now() + 1500).toISOString();
    const pod = await podWith(makePod, {
      prompt: script({ say: 'hm' }, { wait: 600 }),
      config: { deadlineAt },
    }).start();
    expect(await pod.finished()).toMatchObject({ reason: 'Deadline' });
  });

  it("never starts the agent with another's prompt", async ({ makePod }) => {
    const pod = await podWith(makePod, { sha256: '0'.repeat(64) }).start();
    expect(await pod.finished()).toMatchObject({ reason: 'Failed', message: expect.stringContaining('somebody else') });
    expect(pod.conversations()).toEqual([]);
    expect(await pod.end('SIGTERM')).toBe(0);
  });

  it('fails with a wrong script, and says what is wrong', async ({ makePod }) => {
    const pod = await podWith(makePod, { prompt: '- say: hi\n- sing: loud' }).start();
    expect(await pod.finished()).toMatchObject({ reason: 'Failed', message: expect.stringContaining('step 2 of') });
    expect(pod.said()).toEqual([]);
  });

  it('says which command is missing', async ({ makePod }) => {
    const pod = await podWith(makePod, { agent: { name: 'mine', command: ['no-such-agent'] } }).start();
    expect(await pod.finished()).toMatchObject({
      message: expect.stringContaining('"no-such-agent" is not in the container'),
    });
  });

  const odd = [
    '"quotes" \'and\' $(touch /tmp/x) `id`\nNUL \0 inside, a\u2028b\u2029c, \u{1f600} \u{1f469}\u200d\u{1f467} \u05e9\u05dc\u05d5\u05dd',
    `${'x'.repeat(256 * 1024 - 1)}!`,
  ];
  it('hands over any text as it is', async ({ makePod }) => {
    const made = await Promise.all(odd.map((prompt) => podWith(makePod, { prompt }).start()));
    for (const [index, pod] of made.entries()) {
      expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
      expect(pod.prompts()).toEqual([odd[index]]);
      expect(pod.file('NOTES')).toBe(`${odd[index]}\n`);
    }
  });
});

describe.concurrent('a repository', () => {
  const failed = async (makePod: MakePod, options: Partial<PodOptions>) =>
    (await podWith(makePod, options).start()).finished();

  it('is told in words when it can not be cloned', async ({ makePod }) => {
    const [empty, branch, missing, refused] = await Promise.all([
      failed(makePod, { repository: { url: url('empty.git') } }),
      failed(makePod, { repository: { url: url(), ref: 'no-such-branch' } }),
      failed(makePod, { repository: { url: url('missing.git') } }),
      failed(makePod, { repository: { url: 'http://169.254.169.254/repo.git' } }),
    ]);
    expect(empty).toMatchObject({ reason: 'Failed', message: expect.stringContaining('has no commit yet') });
    expect(branch?.message).toContain('has no branch, tag or commit "no-such-branch"');
    expect(missing?.message).toContain('was not found');
    expect(refused?.message).toContain('is refused');
  });

  it('is cloned at a branch or a commit', async ({ makePod }) => {
    const [side, commit] = await Promise.all([
      podWith(makePod, { repository: { url: url(), ref: 'side' } }).start(),
      podWith(makePod, { repository: { url: url(), ref: stage.first } }).start(),
    ]);
    await Promise.all([side.finished(), commit.finished()]);
    expect(side.file('README.md')).toBe('one\n');
    expect(commit.file('README.md')).toBe('one\n');
  });

  it('that wants credentials gets them from the Secret, and nothing else shows them', async ({ makePod }) => {
    const credentials = { username: 'u', password: 'p"a\'ss $(x)' };
    const locked = await startGitServer({ root: stage.root, port: 0, credentials });
    const folder = join(stage.root, 'secret');
    mkdirSync(folder);
    for (const [key, value] of Object.entries(credentials)) writeFileSync(join(folder, key), value);
    const repository = { url: `${locked.url}/repo.git` };
    const [with_, without] = await Promise.all([
      podWith(makePod, { repository, gitCredentials: folder }).start(),
      podWith(makePod, { repository }).start(),
    ]);
    expect(await with_.finished()).toMatchObject({ reason: 'Completed' });
    expect(with_.file('.git/config')).not.toContain(credentials.password);
    expect(await without.finished()).toMatchObject({ message: expect.stringContaining('credentialsSecret') });
    await locked.stop();
  });
});
