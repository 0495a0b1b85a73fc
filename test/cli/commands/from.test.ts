import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openJournal } from '../../../agent/harness/journal.ts';
import { printArchive } from '../../../agent/reader/archive.ts';
import { makePrinter } from '../../../agent/reader/printer.ts';
import { ApiError } from '../../../lib/kube/errors.ts';
import { CLAIMS, PODS, SESSIONS } from '../../../lib/kube/types.ts';
import { condition, makeHarness, session } from '../harness.ts';

const NOTHING = `${JSON.stringify({ tiny: 'end', lines: 0, sha256: createHash('sha256').digest('hex') })}\n`;
const asleep = { conditions: [condition(['Suspended', 'True', 'Finished'])] };
const claim = (name: string) =>
  ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name, namespace: 'demo' } }) as never;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'export-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

/** What a reader prints of a volume with a clone and a turn. */
async function archiveLog(): Promise<string> {
  const volume = folder();
  mkdirSync(join(volume, 'repo/repo'), { recursive: true });
  writeFileSync(join(volume, 'repo/repo/a.txt'), 'hello');
  openJournal(join(volume, 'state/u/journal.jsonl')).append({ type: 'session', id: 'c' });
  let text = '';
  const write = (piece: string, done?: () => void) => {
    text += piece;
    done?.();
    return true;
  };
  const output = { write };
  const printer = makePrinter(output as never);
  await printArchive({ volume, uid: 'u' }, printer);
  await printer.end();
  return text;
}

function world() {
  const harness = makeHarness();
  const { fake } = harness;
  fake.put(
    SESSIONS,
    session('old', {
      spec: { agent: { name: 'rehearsal', model: 'm' }, repository: { url: 'https://example.com/a' } },
      status: asleep,
    }),
  );
  fake.put(CLAIMS, claim('old'));
  fake.log = NOTHING;
  const begun = (name: string) => {
    const made = fake.read(PODS, { namespace: 'demo', name });
    if (made)
      fake.put(PODS, { ...made, status: { containerStatuses: [{ name: 'reader', state: { running: {} } }] } } as never);
  };
  /** As a function and a node would: objects are made, pods begin. */
  fake.fault = (request) => {
    const [, plural, name = ''] = /^CREATE (\S+) (\S+)/.exec(request) ?? [];
    if (plural === 'pods') setImmediate(() => begun(name));
    if (plural === 'sessions')
      setImmediate(() => {
        const made = fake.read(SESSIONS, { namespace: 'demo', name });
        if (made)
          fake.put(SESSIONS, {
            ...made,
            status: { conditions: [condition(['Materialised', 'True', 'Materialised'])] },
          } as never);
      });
  };
  const asked = (verb: string) => fake.requests.filter((request) => request.startsWith(verb));
  const made = (name: string) => fake.read(SESSIONS, { namespace: 'demo', name });
  return { ...harness, asked, made };
}

describe('tiny export', () => {
  it('writes an archive that other tools read, whole or not at all', async () => {
    const { tiny, fake } = world();
    const file = join(folder(), 'old.tar.gz');
    fake.log = await archiveLog();
    const { code, out } = await tiny(['export', 'old', file]);
    expect({ code, out }).toEqual({ code: 0, out: `${file}\n` });
    const tar = gunzipSync(readFileSync(file)).toString('latin1');
    for (const part of ['tiny.json', 'workspace/repo/a.txt', 'state/journal.jsonl', 'end.json'])
      expect(tar).toContain(part);
    expect(tar).not.toContain('requester');
    expect((await tiny(['export', 'old', file])).code).toBe(2);
    expect((await tiny(['export', 'old', file, '--force'])).code).toBe(0);
  });

  it('leaves no file where what came was cut', async () => {
    const { tiny, fake } = world();
    const at = folder();
    fake.log = (await archiveLog()).split('\n').slice(0, -2).join('\n');
    const { code, err } = await tiny(['export', 'old', join(at, 'old.tar.gz')]);
    expect(code).toBe(1);
    expect(err).toContain('is not whole');
    expect(readdirSync(at)).toEqual([]);
  });

  it('gives a pipe the bytes, and a terminal none', async () => {
    const { tiny, fake } = world();
    fake.log = await archiveLog();
    const bytes: Buffer[] = [];
    const stdout = { write: (piece: string | Uint8Array) => bytes.push(Buffer.from(piece as Uint8Array)) };
    expect((await tiny(['export', 'old', '-'], { io: { stdout } })).code).toBe(0);
    expect(gunzipSync(Buffer.concat(bytes)).toString('latin1')).toContain('end.json');
    expect((await tiny(['export', 'old', '-'], { terminal: true })).code).toBe(2);
  });
});

describe('tiny new --from', () => {
  it('goes on from a volume whose Session is gone, by what its claim says of that', async () => {
    const { tiny, fake, asked, made } = world();
    const said = { requester: 'bob', agent: { name: 'rehearsal' }, repository: { url: 'https://example.com/a' } };
    fake.put(CLAIMS, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        ...{ name: 'left', namespace: 'demo', labels: { 'tiny.dev/session-uid': 'was-left' } },
        annotations: { 'tiny.dev/retained': JSON.stringify(said) },
      },
      spec: { resources: { requests: { storage: '3Gi' } } },
    } as never);
    expect(await tiny(['new', '--from', 'volume/left', '--name', 'next', 'And the docs'])).toMatchObject({ code: 0 });
    expect(made('next')?.spec).toMatchObject({
      ...{ prompt: 'And the docs', agent: { name: 'rehearsal' }, repository: { url: 'https://example.com/a' } },
      ...{ storage: { size: '3Gi', retain: false }, suspend: false },
    });
    expect(asked('CREATE pods')).toHaveLength(1);
    const nothing = await tiny(['new', '--from', 'volume/old', 'x']);
    expect(nothing).toMatchObject({ code: 1, err: expect.stringContaining('`tiny volumes` lists them') });
  });

  it('takes a Session over: the same work, in the name of whoever asks, begun only when its volume is filled', async () => {
    const { tiny, fake, asked, made } = world();
    let before: unknown;
    const { fault } = fake;
    fake.fault = (request) => {
      fault(request);
      if (request.startsWith('STREAM')) before = made('next')?.spec.suspend;
    };
    const { code, out } = await tiny(['new', '--from', 'old', '--name', 'next', 'And the docs']);
    expect({ code, out }).toEqual({ code: 0, out: 'session.tiny.dev/next created, going on from old\n' });
    expect(before).toBe(true);
    expect(made('next')?.spec).toMatchObject({
      prompt: 'And the docs',
      suspend: false,
      agent: { name: 'rehearsal', model: 'm' },
      repository: { url: 'https://example.com/a' },
    });
    expect(asked('CREATE pods')).toEqual(['CREATE pods next-load-kkkkk']);
    expect(asked('DELETE')).toEqual(['DELETE pods next-load-kkkkk']);
  });

  it('works on the clone that comes along, and on no other repository', async () => {
    const { tiny, asked, made } = world();
    const from = ['new', '--from', 'old', '--name', 'next', 'x'];
    for (const other of [
      ['--repo', 'https://example.com/b'],
      ['--ref', 'side'],
    ]) {
      const { code, err } = await tiny([...from, ...other]);
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringContaining('brings its clone along, of https://example.com/a'),
      });
    }
    expect(asked('CREATE')).toEqual([]);
    expect((await tiny([...from, '--repo', 'https://example.com/a'])).code).toBe(0);
    expect(made('next')?.spec.repository).toMatchObject({ url: 'https://example.com/a' });
  });

  it('leaves the model behind with the agent that it was for', async () => {
    const { tiny, made } = world();
    expect((await tiny(['new', '--from', 'old', '--name', 'next', '--agent', 'codex', 'x'])).code).toBe(0);
    expect(made('next')?.spec.agent).toEqual({ name: 'codex' });
  });

  it('inherits nothing that runs or opens something', async () => {
    const { tiny, fake, made } = world();
    const spec = {
      agent: { name: 'mine', command: ['evil'], env: [{ name: 'A', value: 'b' }] },
      credentials: [{ secret: 'keys' }],
      approvals: { allow: ['execute'] },
    };
    fake.put(SESSIONS, session('old', { spec, status: asleep }));
    const refused = await tiny(['new', '--from', 'old', '--name', 'next']);
    expect(refused.code).toBe(2);
    expect((await tiny(['new', '--from', 'old', '--name', 'next', '--agent', 'rehearsal'])).code).toBe(0);
    const { agent, credentials, approvals, prompt } = made('next')?.spec ?? {};
    expect({ agent, credentials, allow: approvals?.allow }).toEqual({
      agent: { name: 'rehearsal' },
      credentials: undefined,
      allow: ['read', 'search', 'think'],
    });
    expect(prompt).toBe('Go on where the earlier conversation ended.');
  });

  it('sends an archive to the pod that fills the volume', async () => {
    const { tiny, fake, asked } = world();
    const file = join(folder(), 'old.tar.gz');
    fake.log = await archiveLog();
    await tiny(['export', 'old', file]);
    const arrived = Promise.withResolvers<void>();
    fake.logAt = async function* () {
      await arrived.promise;
      yield NOTHING;
    };
    let sent = Buffer.alloc(0);
    fake.send = async (path, bytes) => {
      expect(path).toContain('/pods/next-load-kkkkk/attach?container=reader&stdin=true');
      for await (const piece of bytes) sent = Buffer.concat([sent, piece]);
      arrived.resolve();
    };
    expect((await tiny(['new', '--from', file, '--name', 'next', 'x'])).code).toBe(0);
    expect(sent.equals(readFileSync(file))).toBe(true);
    expect(asked('DELETE')).toContain('DELETE pods next-load-kkkkk');
  });

  it.each([
    ['cut', (bytes: Buffer) => bytes.subarray(0, -40)],
    ['changed', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 300), Buffer.from('x'), bytes.subarray(301)])],
    ['no archive', () => Buffer.from('hello')],
  ])('refuses an archive that is %s before anything is made', async (_, spoil) => {
    const { tiny, fake, asked } = world();
    const file = join(folder(), 'old.tar.gz');
    fake.log = await archiveLog();
    await tiny(['export', 'old', file]);
    writeFileSync(file, spoil(readFileSync(file)));
    const { code, err } = await tiny(['new', '--from', file, 'x']);
    expect(code).toBe(1);
    expect(err).toContain(`${file} is refused`);
    expect(asked('CREATE sessions')).toEqual([]);
  });

  it.each([
    ['the pod refuses it', { log: 'reader: the archive has a path that leads elsewhere\n' }, 'leads elsewhere'],
    [
      'attaching is forbidden',
      {
        send: new ApiError(403, {
          reason: 'Forbidden',
          message: 'User "alice" cannot create resource "pods/attach" in API group "" in the namespace "demo"',
        }),
      },
      'may not create pods/attach',
    ],
  ])('takes the new Session away again where %s', async (_, { log, send }: { log?: string; send?: Error }, why) => {
    const { tiny, fake, made, asked } = world();
    const file = join(folder(), 'old.tar.gz');
    fake.log = await archiveLog();
    await tiny(['export', 'old', file]);
    fake.log = log ?? NOTHING;
    if (send) {
      fake.send = () => Promise.reject(send);
      fake.logAt = async function* (_path, signal) {
        if (!signal?.aborted) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
        signal?.throwIfAborted();
        yield '';
      };
    }
    const { code, err } = await tiny(['new', '--from', file, '--name', 'next', 'x']);
    expect(code).toBe(1);
    expect(err).toContain(why);
    expect(err).toContain('Session next was deleted again');
    expect(made('next')).toBeUndefined();
    expect(asked('DELETE')).toContain('DELETE pods next-load-kkkkk');
  });

  it('does not copy a Session that runs', async () => {
    const { tiny, fake } = world();
    fake.put(SESSIONS, session('busy', { status: { conditions: [condition(['Suspended', 'False', 'Running'])] } }));
    expect((await tiny(['new', '--from', 'busy', 'x'])).err).toContain('`tiny suspend busy` stops it');
  });

  it('refuses a dry run, and a Session that there is not', async () => {
    expect((await world().tiny(['new', '--from', 'old', '--dry-run'])).code).toBe(2);
    expect((await world().tiny(['new', '--from', 'odl', 'x'])).err).toContain('Session "odl" was not found');
  });
});
