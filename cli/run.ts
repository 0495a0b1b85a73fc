/** One run of the command: arguments in, exit code out. It knows no process, so that a test is a function call. */
import { type Command, CommanderError } from 'commander';
import type { App, Connection, Deps, Flags, Io } from './app.ts';
import type { Entry } from './entry.ts';
import { EXIT, UsageError } from './failure.ts';
import { CLEAR } from './output/progress.ts';
import { makeStyle, wantsColour } from './output/style.ts';
import { complete, makeProgram } from './program.ts';
import { REGISTRY } from './registry.ts';

/** Runs `argv` (without node and script) and says how it ended: 0, 1 failed, 2 called wrongly, 130 interrupted. */
export async function run(argv: readonly string[], io: Io, deps: Deps): Promise<number> {
  const app = makeApp(io, deps);
  const program = makeProgram(app);
  Object.defineProperty(app, 'flags', { get: () => program.opts<Flags>() });
  if (argv.length === 0) {
    program.outputHelp();
    return EXIT.ok;
  }
  const chosen: { cleansUp?: boolean } = {};
  program.hook('preAction', async (_, command) => {
    const entry = REGISTRY.find(({ name }) => name === command.name());
    const { cleansUp = false } = entry ?? {};
    chosen.cleansUp = typeof cleansUp === 'function' ? cleansUp(command.opts()) : cleansUp;
    refuseFlags(app, command.name(), entry);
    app.env = await deps.readEnv();
  });
  const work = program.parseAsync([...argv], { from: 'user' }).then(() => EXIT.ok);
  return Promise.race([work, interrupted(deps.signal, chosen)]).then(
    (code) => (deps.signal.aborted ? leave(io) : code),
    (error) => end(error, app),
  );
}

/** A flag that would be passed over in silence might be meant to hold. */
function refuseFlags({ flags }: App, name: string, entry: Pick<Entry, 'lists' | 'spans' | 'outputs'> = {}): void {
  const { lists, spans, outputs = [] } = entry;
  if (flags.watch && !lists)
    throw new UsageError(`${name} does not watch`, '-w is for `tiny ls` and `tiny questions`.');
  if (flags.allNamespaces && !lists && !spans)
    throw new UsageError(`${name} takes no -A`, 'Name one namespace with -n.');
  if (!flags.output || outputs.includes(flags.output)) return;
  throw new UsageError(
    `${name} takes no -o ${flags.output}`,
    outputs.length ? `It knows ${outputs.map((format) => `-o ${format}`).join(', ')}.` : 'It prints in one way only.',
  );
}

function makeApp(io: Io, deps: Deps): App {
  let cluster: Promise<Connection> | undefined;
  const app: App = Object.assign(Object.create(deps) as Deps, {
    io,
    flags: { color: true },
    env: { home: '', data: '', cache: '', path: '' },
    style: makeStyle(false),
    print: (text: string) => void io.stdout.write(text),
    note: (text: string) => void io.stderr.write(`${text}\n`),
    complete: (command: Command) => complete(command, app),
    cluster: () => {
      cluster ??= connect(app);
      return cluster;
    },
  });
  Object.defineProperty(app, 'style', { get: () => makeStyle(colourWanted(app)) });
  return app;
}

function colourWanted({ io, flags, env }: App): boolean {
  if (!io.stdout.isTTY) return false;
  const { noColor, term } = env;
  return wantsColour({ terminal: true, flag: flags.color, ...(noColor && { noColor }), ...(term && { term }) });
}

async function connect(app: App): Promise<Connection> {
  const { kubeconfig, context, namespace } = app.flags;
  const connection = await app.connect({
    ...(kubeconfig && { kubeconfig }),
    ...(context && { context }),
    ...(namespace && { namespace }),
  });
  if (!app.flags.verbose) return connection;
  const { traced } = await import('./trace.ts');
  return { ...connection, client: traced(connection.client, app) };
}

/** Resolves at Ctrl-C, unless the command cleans up after itself: then it is waited for. */
const interrupted = (signal: AbortSignal, chosen: { cleansUp?: boolean }): Promise<number> =>
  new Promise((resolve) => {
    const stop = () => !chosen.cleansUp && resolve(EXIT.interrupted);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });

/** A progress line that was under way goes. */
function leave({ stderr }: Io): number {
  if (stderr.isTTY) stderr.write(CLEAR);
  return EXIT.interrupted;
}

async function end(error: unknown, app: App): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (app.signal.aborted) return leave(app.io);
  const { explain } = await import('./explain.ts');
  const { message, hints, exit } = explain(error, app);
  app.note([`error: ${message}`, ...hints.map((hint) => `  ${hint}`)].join('\n'));
  if (app.flags.verbose && error instanceof Error) app.note(error.stack ?? '');
  return exit;
}
