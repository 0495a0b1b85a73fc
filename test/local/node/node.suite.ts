import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeSend } from '../../../lib/kube/send.ts';
import { CLAIMS, type Ref } from '../../../lib/kube/types.ts';
import { type Node, startNode } from '../../../local/node/node.ts';
import { type ContainerStatus, type Data, PODS, SECRETS } from '../../../local/node/pod.ts';
import { FOREVER, object, pod, script, until } from '../support/objects.ts';
import { type StandIn, startStandIn } from '../support/stand-in.ts';

let standIn: StandIn;
let node: Node;

beforeAll(async () => {
  standIn = await startStandIn(
    (...asked) => node.logs(...asked),
    (...asked) => node.attach(...asked),
  );
  node = startNode(standIn.node);
});
afterAll(async () => {
  await node.stop(200);
  await standIn.close();
});

const ref = (name: string): Ref => ({ namespace: 'team-a', name });
const make = (name: string, spec: object) => standIn.client.create(PODS, pod(name, spec));
const read = (name: string) => standIn.client.get(PODS, ref(name));
const container = async (name: string, which = 'main'): Promise<ContainerStatus | undefined> => {
  const status = (await read(name))?.status;
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find(
    (one) => one.name === which,
  );
};
const isReady = async (name: string) =>
  (await read(name))?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
const log = async (name: string, query = 'container=main') => {
  let all = '';
  for await (const text of standIn.client.stream(`/api/v1/namespaces/team-a/pods/${name}/log?${query}`)) all += text;
  return all;
};
const secret = (name: string, data: Record<string, string>) =>
  standIn.client.apply(
    SECRETS,
    object(
      'v1/Secret',
      { name, namespace: 'team-a' },
      {
        data: Object.fromEntries(
          Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
        ),
      },
    ) as Data,
  );
const claim = (name: string) =>
  standIn.client.create(
    CLAIMS,
    object(
      'v1/PersistentVolumeClaim',
      { name, namespace: 'team-a' },
      {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ),
  );

describe('a pod', () => {
  test('runs with its environment, its paths mapped, and its files', async () => {
    await secret('keys', { TOKEN: 'hush', file: 'content' });
    await claim('work');
    const code = `
      const fs = require('node:fs');
      const e = process.env;
      fs.writeFileSync(e.STATE + '/kept', 'x');
      console.log(JSON.stringify({ e, arg: process.argv[1], secret: fs.readFileSync(e.SECRETS + '/file', 'utf8') }));
      ${FOREVER}`;
    await make('rich', {
      containers: [
        {
          ...script('main', code),
          args: ['/state/$(NAME)'],
          env: [
            { name: 'NAME', value: 'n$$(x)' },
            { name: 'STATE', value: '/state' },
            { name: 'OTHER', value: '/statement' },
            { name: 'SECRETS', value: '/secrets' },
          ],
          envFrom: [{ secretRef: { name: 'keys' } }],
          volumeMounts: [
            { name: 'work', mountPath: '/state', subPath: 'state' },
            { name: 's', mountPath: '/secrets' },
          ],
        },
      ],
      volumes: [
        { name: 'work', persistentVolumeClaim: { claimName: 'work' } },
        { name: 's', secret: { secretName: 'keys' } },
      ],
    });
    await until('ready', () => isReady('rich'));
    const { e, arg, secret: content } = JSON.parse(await until('output', () => log('rich')));
    const uid = (await standIn.client.get(CLAIMS, ref('work')))?.metadata.uid ?? '';
    const state = join(standIn.node.dataFolder, 'claims', uid, 'state');
    expect(e).toMatchObject({ STATE: state, OTHER: '/statement', HOSTNAME: 'rich', TOKEN: 'hush', NAME: 'n$(x)' });
    expect(e.KUBERNETES_SERVICE_PORT).toBe(String(standIn.node.apiServer.port));
    expect(arg).toBe(`${state}/n$(x)`);
    expect(content).toBe('content');
    expect(existsSync(join(state, 'kept'))).toBe(true);
    expect(Object.keys(e)).not.toContain('VITEST');
  });

  test('waits for a Secret that is missing, in the words of Kubernetes, and starts when it comes', async () => {
    await make('poor', { containers: [script('main', FOREVER, { envFrom: [{ secretRef: { name: 'later' } }] })] });
    const state = await until('the reason', async () => {
      const waiting = (await container('poor'))?.state.waiting;
      return waiting?.reason === 'CreateContainerConfigError' && waiting;
    });
    expect(state).toMatchObject({ message: 'secret "later" not found' });
    await expect(log('poor')).rejects.toMatchObject({
      code: 400,
      message: 'container "main" in pod "poor" is waiting to start: CreateContainerConfigError',
    });
    await secret('later', { KEY: 'x' });
    await until('ready', () => isReady('poor'));
    expect(await container('poor')).toMatchObject({ restartCount: 0 });
  });

  test('with an image that is not there says which images the stand-in has', async () => {
    await make('foreign', { containers: [{ name: 'main', image: 'busybox' }] });
    const waiting = await until('the reason', async () => {
      const state = (await container('foreign'))?.state.waiting;
      return state?.reason === 'CreateContainerConfigError' && state;
    });
    expect(waiting).toMatchObject({ message: expect.stringContaining('tiny.dev/') });
  });

  test('stays pending while its claim is missing', async () => {
    await make('homeless', {
      containers: [script('main', FOREVER)],
      volumes: [{ name: 'work', persistentVolumeClaim: { claimName: 'none' } }],
    });
    const condition = await until('the reason', async () =>
      (await read('homeless'))?.status?.conditions?.find(({ reason }) => reason === 'Unschedulable'),
    );
    expect(condition).toMatchObject({ message: 'persistentvolumeclaim "none" not found' });
    await claim('none');
    await until('ready', () => isReady('homeless'));
  });

  test('starts its sidecar before the others, and ends it last', async () => {
    const trace = join(standIn.folder, 'trace');
    const note = (what: string) => `require('node:fs').appendFileSync(${JSON.stringify(trace)}, '${what} ')`;
    const worker = (name: string) =>
      `${note(`+${name}`)}; process.on('SIGTERM', () => { ${note(`-${name}`)}; process.exit(0) }); ${FOREVER}`;
    const ready = (file: string) =>
      `const wait = () => require('node:fs').existsSync(${JSON.stringify(trace)}) && require('node:fs').readFileSync(${JSON.stringify(trace)}, 'utf8').includes('${file}') ? start() : setTimeout(wait, 5); const start = () => { ${worker('main')} }; wait()`;
    const {
      metadata: { uid },
    } = await make('ordered', {
      terminationGracePeriodSeconds: 5,
      initContainers: [script('side', worker('side'), { restartPolicy: 'Always' })],
      containers: [script('main', ready('+side'))],
    });
    const text = () => (existsSync(trace) ? readFileSync(trace, 'utf8') : '');
    await until('both', () => text().includes('+main'));
    await standIn.client.delete(PODS, ref('ordered'));
    await until('gone', async () => !(await read('ordered')));
    expect(text().trim().split(' ')).toEqual(['+side', '+main', '-main', '-side']);
    expect(readdirSync(join(standIn.node.dataFolder, 'pods'))).not.toContain(uid);
  });

  test('starts nothing else before an init container has ended well, and tells that it has', async () => {
    const gate = join(standIn.folder, 'gate');
    const passes = `process.exit(require('node:fs').existsSync(${JSON.stringify(gate)}) ? 0 : 1)`;
    await make('cloning', {
      initContainers: [
        script('side', FOREVER, { restartPolicy: 'Always' }),
        script('clone', `console.log('tried'); ${passes}`),
      ],
      containers: [script('main', FOREVER)],
    });
    await until('a failure', async () => ((await container('cloning', 'clone'))?.restartCount ?? 0) >= 1);
    expect(await container('cloning')).toMatchObject({ ready: false, state: { waiting: {} }, restartCount: 0 });
    writeFileSync(gate, '');
    await until('ready', () => isReady('cloning'));
    expect(await container('cloning', 'clone')).toMatchObject({
      ready: true,
      state: { terminated: { exitCode: 0, reason: 'Completed' } },
    });
    expect(await log('cloning', 'container=clone')).toBe('tried\n');
  });

  test('whose init container runs for ever can be ended all the same', async () => {
    await make('hanging', {
      initContainers: [script('clone', FOREVER)],
      containers: [script('main', FOREVER)],
    });
    await until('it runs', async () => (await container('hanging', 'clone'))?.state.running);
    await standIn.client.delete(PODS, ref('hanging'));
    await until('gone', async () => !(await read('hanging')));
  });

  test('is started again with back-off, keeps the log of the life before, and says how it ended', async () => {
    await make('crashing', { containers: [script('main', `console.log('life'); process.exit(3)`)] });
    await until('back-off', async () => ((await container('crashing'))?.restartCount ?? 0) >= 2);
    const status = await until('a state', async () => await container('crashing'));
    expect(status.lastState.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
    expect(await log('crashing', 'container=main&previous=true')).toBe('life\n');
  });

  test('ended by a signal says so', async () => {
    await make('killed', { containers: [script('main', `process.kill(process.pid, 'SIGKILL')`)] });
    const ended = await until('its end', async () => (await container('killed'))?.lastState.terminated);
    expect(ended).toMatchObject({ exitCode: 137, signal: 9, reason: 'Error' });
  });

  test('that is to run once runs once, stays with its log, and says how it ended', async () => {
    const phase = async (name: string) => (await read(name))?.status?.phase as string | undefined;
    await make('once', { restartPolicy: 'Never', containers: [script('main', `console.log('life')`)] });
    await make('failing', { restartPolicy: 'Never', containers: [script('main', 'process.exit(3)')] });
    await make('long', { restartPolicy: 'Never', activeDeadlineSeconds: 1, containers: [script('main', FOREVER)] });
    await until('done', async () => (await phase('once')) === 'Succeeded');
    await until('done', async () => (await phase('failing')) === 'Failed');
    await until('ended at its deadline', async () => (await phase('long')) === 'Failed');
    expect(await log('once')).toBe('life\n');
    expect((await container('failing'))?.restartCount).toBe(0);
    for (const name of ['once', 'failing', 'long']) {
      await standIn.client.delete(PODS, ref(name));
      await until('gone', async () => !(await read(name)));
    }
  });

  test('that asks for a standard input gets what is sent to it, whole, and no other does', async () => {
    const code = `
      const hash = require('node:crypto').createHash('sha256');
      let bytes = 0;
      process.stdin.on('data', (piece) => { bytes += piece.length; hash.update(piece); });
      process.stdin.on('end', () => console.log(bytes + ' ' + hash.digest('hex')));`;
    const once = { restartPolicy: 'Never' };
    await make('fed', { ...once, containers: [{ ...script('main', code), stdin: true, stdinOnce: true }] });
    await make('unfed', { ...once, containers: [script('main', FOREVER)] });
    for (const name of ['fed', 'unfed']) await until('it runs', async () => (await container(name))?.state.running);
    const { url: server, caPem: ca } = standIn;
    const send = makeSend({ server, ca, auth: { token: 'admin-token' }, userAgent: 'test', now: Date.now });
    const to = (name: string) => `/api/v1/namespaces/team-a/pods/${name}/attach?container=main&stdin=true`;
    const piece = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 253));
    const pieces = async function* () {
      for (let count = 0; count < 40; count += 1) yield piece;
    };
    const { signal } = new AbortController();
    await send(to('fed'), pieces(), signal);
    const sha256 = createHash('sha256')
      .update(Buffer.concat(Array(40).fill(piece)))
      .digest('hex');
    expect(await until('its log', () => log('fed'))).toBe(`${40 * piece.length} ${sha256}\n`);
    await expect(send(to('unfed'), pieces(), signal)).rejects.toMatchObject({ code: 400 });
    await expect(send(to('none'), pieces(), signal)).rejects.toMatchObject({ code: 404 });
    const stranger = makeSend({ server, ca, auth: { token: 'x' }, userAgent: 'test', now: Date.now });
    await expect(stranger(to('fed'), pieces(), signal)).rejects.toMatchObject({ code: 401 });
  });

  test('that is to be tried until it succeeds is not taken, and says why', async () => {
    await make('job', { restartPolicy: 'OnFailure', containers: [script('main', '1')] });
    const condition = await until('the reason', async () =>
      (await read('job'))?.status?.conditions?.find(({ reason }) => reason === 'Unschedulable'),
    );
    expect(condition.message).toContain('always restarted');
  });

  test('that ignores SIGTERM is killed after its grace, with what it has started', async () => {
    const child = `require('node:child_process').spawn(process.execPath, ['-e', '${FOREVER}'], { stdio: 'inherit' })`;
    await make('deaf', {
      containers: [
        script('main', `process.on('SIGTERM', () => {}); console.log(process.pid, ${child}.pid); ${FOREVER}`),
      ],
    });
    await until('ready', () => isReady('deaf'));
    const pids = (await until('output', () => log('deaf'))).trim().split(' ').map(Number);
    await standIn.client.delete(PODS, ref('deaf'));
    await until('gone', async () => !(await read('deaf')));
    await until('killed', () => pids.every((pid) => !isRunning(pid)));
  });

  test('has a log that can be followed to its end and read from the tail', async () => {
    const go = join(standIn.folder, 'go');
    const code = `
      const fs = require('node:fs'), go = ${JSON.stringify(go)}, again = process.env.HOME + '/again';
      let n = 0;
      const talk = () => { if (fs.existsSync(go)) console.log(++n); if (n < 5) setTimeout(talk, 20) };
      if (fs.existsSync(again)) ${FOREVER}; else { fs.writeFileSync(again, ''); talk() }`;
    await make('talking', { containers: [script('main', code)] });
    await until('started', async () => (await container('talking'))?.containerID);
    const followed = log('talking', 'container=main&follow=true');
    writeFileSync(go, '');
    expect(await followed).toBe('1\n2\n3\n4\n5\n');
    await until('the next life', async () => (await container('talking'))?.restartCount);
    expect(await log('talking', 'container=main&previous=true&tailLines=2')).toBe('4\n5\n');
  });
});

test('a claim’s folder goes with the claim', async () => {
  const { metadata } = await claim('short');
  await make('user', {
    containers: [script('main', FOREVER, { volumeMounts: [{ name: 'w', mountPath: '/w' }] })],
    volumes: [{ name: 'w', persistentVolumeClaim: { claimName: 'short' } }],
  });
  const folder = join(standIn.node.dataFolder, 'claims', metadata.uid);
  await until('ready', () => isReady('user'));
  expect(existsSync(folder)).toBe(true);
  await standIn.client.delete(PODS, ref('user'));
  await until('gone', async () => !(await read('user')));
  await standIn.client.delete(CLAIMS, ref('short'));
  await standIn.client.patch(CLAIMS, ref('short'), { type: 'merge', body: { metadata: { finalizers: null } } });
  await until('removed', () => !existsSync(folder));
});

const isRunning = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};
