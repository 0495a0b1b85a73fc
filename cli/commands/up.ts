/** `tiny up`: a lasting local cluster. */
import { InvalidArgumentError } from 'commander';
import { TRIAL_PEOPLE } from '../../local/people.ts';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { findDaemon, startDaemon } from '../local/daemon.ts';
import { chosenEngine, type EngineName, engineInWords, engineOption, readyLimit } from '../local/engine.ts';
import { checkKubeconfig, enter, userKubeconfig } from '../local/user-kubeconfig.ts';
import { withProgress } from '../output/progress.ts';

interface Options {
  engine: EngineName;
  port?: number;
  project: string;
  idle: number;
  lose?: number;
  double?: number;
  delay?: number;
  reorder?: number;
}

const number = (text: string): number => {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0)) throw new InvalidArgumentError('It must be a number, 0 or more.');
  return value;
};
const rate = (text: string): number => {
  if (number(text) > 1) throw new InvalidArgumentError('It must be a rate from 0 to 1.');
  return number(text);
};
const port = (text: string): number => {
  if (!Number.isInteger(number(text)) || number(text) > 65_535)
    throw new InvalidArgumentError('It must be a port from 0 to 65535.');
  return number(text);
};

export const define: Define = (command, app) =>
  command
    .option('--port <port>', 'where the API server listens on 127.0.0.1; default: as last time, or a free one', port)
    .addOption(engineOption())
    .option('--project <namespace>', 'the namespace that is prepared for sessions', 'default')
    .option('--idle <seconds>', 'how long a function stays without an event', number, 30)
    .option('--lose <rate>', 'lose this share of the events', rate)
    .option('--double <rate>', 'send this share of the events twice', rate)
    .option('--delay <rate>', 'send this share of the events late', rate)
    .option('--reorder <rate>', 'send this share of the events after the next', rate)
    .addHelpText(
      'after',
      `
It is a stand-in for Kubernetes and Knative: one process, no containers. Pods are processes of your user, and nothing
confines them. What tiny does not use is not there. Your kubeconfig gets the context tiny-local, made current.

With --engine kubernetes the API server, its etcd and its controllers are real; pods, eventing and functions stay as
they are. The programs are found in $KUBEBUILDER_ASSETS, on the path or in the cache, else built once with Go. It keeps
its own Sessions apart from the stand-in's.

Examples:
  ${app.program} up
  ${app.program} up --engine kubernetes
  ${app.program} up --lose 0.3 --double 0.3`,
    )
    .action((options: Options) => up(app, options));

async function up(app: App, { engine: name, port, project, idle, ...faults }: Options): Promise<void> {
  const folder = app.env.data;
  const kubeconfig = userKubeconfig(app.env);
  checkKubeconfig(kubeconfig);
  const running = findDaemon(folder);
  const engine = running ? undefined : await chosenEngine(app, name);
  const start = () =>
    startDaemon({
      folder,
      options: { port: port ?? 0, project, idleMs: idle * 1000, faults, ...(engine && { engine }) },
      limit: readyLimit(engine),
      signal: app.signal,
    });
  const began = app.now().getTime();
  const daemon = running ?? (await withProgress(app.io.stderr, 'Starting the local cluster', start));
  enter(kubeconfig, daemon.kubeconfig);
  const server = daemon.kubeconfig.clusters[0]?.cluster.server;
  const took = ((app.now().getTime() - began) / 1000).toFixed(1);
  app.note(
    running
      ? `The local cluster runs already at ${server}; flags were not looked at.`
      : `The local cluster is ready at ${server} (${took} s).`,
  );
  app.note(`It is ${engineInWords(daemon.kubernetes)}: pods are processes, and nothing confines them.`);
  app.note(`Context tiny-local is now current. To try the rules, use another's eyes:`);
  for (const [name, { may }] of Object.entries(TRIAL_PEOPLE)) app.note(`  --context tiny-local-${name}   ${may}`);
  app.note(
    `Next: ${app.program} new --agent rehearsal 'say: hello', then ${app.program} ls. ${app.program} down ends it and keeps its data.`,
  );
}
