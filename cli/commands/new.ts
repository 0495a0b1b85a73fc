/** `tiny new`: a Session from a prompt. */
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { ASKED_BY } from '../../lib/intake/make-session.ts';
import { isAlreadyExists } from '../../lib/kube/errors.ts';
import { collectionPath } from '../../lib/kube/path.ts';
import { SESSIONS } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { settleSession } from '../direct.ts';
import { Failure, UsageError } from '../failure.ts';
import { whoAmI } from '../identity.ts';
import { withProgress } from '../output/progress.ts';
import { printDone } from '../session/change.ts';
import { unlessFull } from '../session/full.ts';
import { makeName } from '../session/name.ts';
import { type Identity, makeSession, type SpecOptions } from '../session/spec.ts';
import { waitUntilFinished } from '../session/wait.ts';
import { readText } from '../text/read.ts';

interface Options extends SpecOptions {
  fromGithubIssue?: string;
  file?: string;
  name?: string;
  from?: string;
  wait?: boolean;
  dryRun?: true | 'client' | 'server';
}

const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

const examples = (program: string) => `
Examples:
  ${program} new "Fix the flaky login test" --repo https://github.com/acme/shop
  ${program} new -f task.md --name refactor --ref main --wait
  echo "Update the changelog" | ${program} new - --repo git@github.com:acme/shop.git
  ${program} new --from refactor.tar.gz "And now the documentation"
  ${program} new --from-github-issue acme/shop#12
  ${program} new "Say hello" --agent rehearsal --dry-run -o yaml > session.yaml`;

export const define: Define = (command, app) =>
  command
    .argument('[prompt]', 'what the agent is to do; - reads stdin')
    .option('-f, --file <file>', 'read the prompt from a file; - is stdin')
    .option(
      '--from-github-issue <issue>',
      'what an issue or pull request asks for, OWNER/REPO#NUMBER; the prompt, if any, is said besides',
    )
    .option('--name <name>', 'the name of the Session (default: made from the prompt)')
    .option('--repo <url>', 'the git repository to work on')
    .option('--ref <ref>', 'its branch, tag or commit')
    .option('--repo-secret <secret>', 'a Secret to clone it with, which the agent does not get')
    .option('--push-secret <secret>', 'a Secret to push its work with, after a yes; the agent does not get it')
    .option('--pull-requests <provider>', 'let it open them, after a yes: github or gitlab')
    .option('--agent <name>', 'claude-code (default), codex, gemini, opencode or rehearsal')
    .option('--model <name>', 'the model that the agent is asked to use')
    .option('--base-url <url>', 'where the agent asks its model: a gateway, vLLM, Ollama')
    .option(
      '--allow <kinds>',
      'kinds of tool call that need no yes, parted by commas: read, edit, run, network …',
      collect,
    )
    .option('--allow-command <pattern>', 'a command that needs no yes, such as "npm run *"', collect)
    .option('--budget <limit>', 'ask whether to go on at so many tokens (500k, 2M) or so much money (5USD)', collect)
    .option('--env <NAME=VALUE>', 'an environment variable of the agent; no place for secrets', collect)
    .option('--credentials <secret>', 'a Secret whose keys become environment variables of the agent', collect)
    .option('--storage <size>', 'the size of the volume, such as 20Gi')
    .option(
      '--from <session|archive>',
      "go on from another Session's clone and conversation, an exported one, or volume/NAME",
    )
    .option('--suspend', 'make it, but start no workload yet')
    .option(
      '--suspend-after <duration>',
      'let it sleep after waiting this long for an answer or a message, such as 30m',
    )
    .option('--deadline <duration>', 'end it after this long, such as 2h')
    .option('--wait', 'until it has finished; exit 1 unless it completed')
    .option('--dry-run [side]', 'print it and make nothing; "server" asks the cluster whether it would take it')
    .addHelpText('after', examples(app.program))
    .action((prompt: string | undefined, options: Options) => create(app, prompt, options));

/** What is asked for, by a prompt or an issue. */
interface Asked {
  prompt: string;
  name: string;
  annotations?: Record<string, string>;
  options: Options;
}

async function askedFor(app: App, argument: string | undefined, options: Options): Promise<Asked> {
  const { fromGithubIssue: issue, file } = options;
  const given = issue === undefined || argument !== undefined || file !== undefined;
  const said = given ? await readText(app, { what: 'prompt', argument, file }) : '';
  if (issue === undefined) return { prompt: said, name: options.name ?? makeName(said, app.random(5)), options };
  const { fromGitHubIssue } = await import('../session/github-issue.ts');
  const { prompt, name, annotations, repo, ref } = await fromGitHubIssue(app, issue, said);
  const cloned = options.repo ? {} : { repo, ...(ref && { ref }) };
  return { prompt, name: options.name ?? name, annotations, options: { ...cloned, ...options } };
}

/** The Session, for the cluster or to be looked at. */
function sessionFor({ prompt, name, annotations, options }: Asked, identity: Omit<Identity, 'name'>): Session {
  const session = makeSession(prompt, options, { ...identity, name });
  return annotations ? { ...session, metadata: { ...session.metadata, annotations } } : session;
}

async function create(app: App, argument: string | undefined, options: Options): Promise<void> {
  const { from } = options;
  if (from !== undefined) return (await import('../from/new-from.ts')).newFrom(app, argument, { ...options, from });
  const side = dryRunSide(options);
  const asked = await askedFor(app, argument, options);
  sessionFor(asked, { namespace: 'default', requester: undefined });
  if (side) return dryRun(app, side, (identity) => sessionFor(asked, identity));
  const { client, namespace } = await app.cluster();
  const { name } = asked;
  const session = sessionFor(asked, { namespace, requester: await whoAmI(client) });
  const { made, anew } = await withProgress(app.io.stderr, `Making Session ${name}`, () => send(app, session));
  await printDone(app, made, anew ? 'created' : 'unchanged: the issue has it already');
  if (anew) await settleSession(app, { namespace, name });
  if (options.wait) await waitUntilFinished(app, made);
}

function dryRunSide({ dryRun, wait }: Options): 'client' | 'server' | undefined {
  if (!dryRun) return undefined;
  if (wait) throw new UsageError('--dry-run makes nothing that --wait could wait for');
  if (dryRun === true || dryRun === 'client') return 'client';
  if (dryRun === 'server') return dryRun;
  throw new UsageError(`--dry-run "${dryRun}" must be client or server`, 'A prompt stands before it, or after --.');
}

/** Prints what would be made. The client's side asks no cluster, and needs none where the namespace is named. */
async function dryRun(
  app: App,
  side: 'client' | 'server',
  make: (identity: Omit<Identity, 'name'>) => Session,
): Promise<void> {
  if (side === 'client') {
    const namespace = app.flags.namespace ?? (await app.cluster()).namespace;
    return printDone(app, make({ namespace, requester: undefined }) as Stored<Session>, 'created (dry run)');
  }
  const { client, namespace } = await app.cluster();
  const path = `${collectionPath(SESSIONS, namespace)}?dryRun=All&fieldManager=${client.fieldManager}`;
  const session = make({ namespace, requester: await whoAmI(client) });
  await printDone(app, await client.request<Stored<Session>>('POST', path, session), 'created (server dry run)');
}

/** Makes it; `anew` is false where it is that of the same issue, made before. */
async function send(app: App, session: Session): Promise<{ made: Stored<Session>; anew: boolean }> {
  const { client, namespace } = await app.cluster();
  try {
    return { made: await client.create(SESSIONS, session), anew: true };
  } catch (error) {
    if (!isAlreadyExists(error)) throw await unlessFull(app, error);
    const { name, annotations } = session.metadata;
    const made = annotations && (await client.get(SESSIONS, { namespace, name }));
    if (made?.metadata.annotations?.[ASKED_BY] === annotations?.[ASKED_BY] && made) return { made, anew: false };
    throw new Failure(
      `Session "${name}" exists already in namespace ${namespace}`,
      `Choose another --name, or see \`tiny show ${name}\`.`,
    );
  }
}
