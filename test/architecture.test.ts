/** What DESIGN and the house rules say of the code as a whole, held by a scan of the sources. */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

const FOLDERS = ['lib', 'functions', 'cli', 'local', 'agent', 'build', 'bench', 'fuzz'];
const FILES = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`)).sort();

interface Source {
  file: string;
  text: string;
  /** Without comments and what stands in quotes. */
  code: string;
  imports: Import[];
}

interface Import {
  /** A file of this repository, or a package or `node:` module as it is written. */
  to: string;
  /** Gone at run time. */
  typeOnly: boolean;
}

const IMPORT = /^(import|export)\s(type\s)?(?:[^'";]*?\sfrom\s)?'([^']+)'/gm;
const DYNAMIC = /\bimport\('([^']+)'\)/g;

const resolved = (file: string, to: string) => (to.startsWith('.') ? normalize(join(dirname(file), to)) : to);

function importsOf(file: string, text: string): Import[] {
  return [
    ...[...text.matchAll(IMPORT)].map(([, , type, to = '']) => ({ to: resolved(file, to), typeOnly: !!type })),
    ...[...text.matchAll(DYNAMIC)].map(([, to = '']) => ({ to: resolved(file, to), typeOnly: false })),
  ];
}

const bare = (text: string) =>
  text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
    .replaceAll(/(^|\s)\/\/.*$/gm, '')
    // Of a template, the code in it stays.
    .replaceAll(/`(?:[^`\\]|\\.)*`/g, (template) => `(${template.match(/\$\{[^}]*/g) ?? "''"})`);

const SOURCES = new Map<string, Source>(
  FILES.map((file) => {
    const text = readFileSync(file, 'utf8');
    return [file, { file, text, code: bare(text), imports: importsOf(file, text) }];
  }),
);
const ALL = [...SOURCES.values()];
const isOurs = (to: string) => FOLDERS.some((folder) => to.startsWith(`${folder}/`));
const folderOf = (file: string) => file.split('/')[0] ?? '';

/** `file → imported`, of those that `wrong` picks. */
const edges = (wrong: (from: Source, to: Import) => boolean) =>
  ALL.flatMap((from) => from.imports.filter((to) => wrong(from, to)).map(({ to }) => `${from.file} → ${to}`));

test('the scan sees the code', () => {
  expect(FILES.length).toBeGreaterThan(150);
  expect(SOURCES.get('lib/reconcile.ts')?.imports).toContainEqual({ to: 'lib/ensure.ts', typeOnly: false });
  expect(SOURCES.get('lib/session/plan.ts')?.imports).toContainEqual({ to: 'lib/api/session.ts', typeOnly: true });
  expect(edges((_, { to }) => to.startsWith('.') || (isOurs(to) && !SOURCES.has(to)))).toEqual([]);
});

describe('imports go one way', () => {
  /** Which folders a folder may import besides itself. */
  const MAY: Record<string, string[]> = {
    lib: [],
    functions: ['lib'],
    agent: ['lib'],
    local: ['lib'],
    cli: ['lib'],
    build: ['lib', 'functions', 'local'],
    fuzz: ['lib', 'build'],
    bench: ['lib', 'functions', 'cli', 'local', 'agent', 'build'],
  };
  /** What the command uses of the local cluster: its surface, and where a real API server is found; not what it is made of. */
  const CLI_MAY = /^local\/((?!cluster|env)[\w-]+|engine\/(find|binaries))\.ts$/;

  test('from the programs to the library', () => {
    const wrong = edges(({ file }, { to }) => {
      const [from, into] = [folderOf(file), folderOf(to)];
      if (!isOurs(to) || from === into || MAY[from]?.includes(into)) return false;
      return !(from === 'cli' && CLI_MAY.test(to));
    });
    expect(wrong).toEqual([]);
  });

  /** The layers of the library, lowest first: what stands beside each other may not import each other. */
  const LAYERS = [
    ['lib/api/', 'lib/age.ts', 'lib/called.ts', 'lib/service-error.ts', 'lib/archive/', 'lib/settings/'],
    // What an answer amounts to is judged the same by everyone.
    ['lib/identity/', 'lib/kube/', 'lib/question/decision.ts'],
    ['lib/outcome.ts', 'lib/event/', 'lib/install/'],
    ['lib/plan.ts'],
    ['lib/ensure.ts', 'lib/session/'],
    ['lib/question/'],
    ['lib/channel/', 'lib/intake/'],
    ['lib/slack/', 'lib/github/', 'lib/sweep/'],
    ['lib/reconcile.ts'],
  ];
  const layer = (file: string) => LAYERS.findIndex((names) => names.some((name) => file.startsWith(name)));
  const part = (file: string) => LAYERS.flat().find((name) => file.startsWith(name));

  test('within the library downwards', () => {
    expect(FILES.filter((file) => file.startsWith('lib/') && layer(file) < 0)).toEqual([]);
    const wrong = edges(({ file }, { to }) => {
      if (!file.startsWith('lib/') || !isOurs(to) || part(file) === part(to)) return false;
      return layer(to) >= layer(file);
    });
    // The client speaks of objects and acts as persons; who may be acted for knows nothing of the client.
    expect(wrong.filter((edge) => !/^lib\/kube\/.* → lib\/identity\/impersonation-headers\.ts$/.test(edge))).toEqual(
      [],
    );
  });

  test('what is below the client knows nothing of it: api and identity import no kube', () => {
    expect(edges(({ file }, { to }) => /^lib\/(api|identity)\//.test(file) && to.startsWith('lib/kube/'))).toEqual([]);
  });
});

/** All that is loaded at run time with `file`. */
function loaded(file: string, seen = new Set<string>()): Set<string> {
  for (const { to, typeOnly } of SOURCES.get(file)?.imports ?? []) {
    if (typeOnly || seen.has(to)) continue;
    seen.add(to);
    loaded(to, seen);
  }
  return seen;
}

describe('the middle is pure', () => {
  const PURE = FILES.filter((file) =>
    /^lib\/(session|question)\/(plan|make-.*|status|names|lifetime|wake|decision)\.ts$|^lib\/plan\.ts$|^lib\/identity\//.test(
      file,
    ),
  );
  const HARMLESS = ['node:crypto', 'node:util', 'zod/mini', 'lib/kube/types.ts', 'lib/kube/errors.ts'];

  test('there is such a middle', () => expect(PURE.length).toBeGreaterThan(14));

  test.each(PURE)('%s does no I/O, nor does what it loads', (file) => {
    const used = [...loaded(file)].filter((to) => !HARMLESS.includes(to));
    expect(used.filter((to) => !/^lib\/(api|identity|session|question|plan\.ts)/.test(to))).toEqual([]);
  });

  test.each(PURE)('%s knows no clock and no chance', (file) => {
    expect(SOURCES.get(file)?.code).not.toMatch(/Date\.now|new Date\(\)|Math\.random|randomUUID|setTimeout|fetch\(/);
  });
});

test('a function carries no schema library but zod/mini, and no Kubernetes library', () => {
  for (const name of ['session', 'question']) {
    const used = [...loaded(`functions/${name}.ts`)];
    expect(used).toContain('zod/mini');
    expect(used.filter((to) => ['zod', '@kubernetes/client-node', 'yaml', 'commander'].includes(to))).toEqual([]);
  }
});

test('no file loads itself in a circle; types may name each other', () => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file) || path.includes(file)) return;
    for (const { to, typeOnly } of SOURCES.get(file)?.imports ?? []) if (!typeOnly) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of FILES) visit(file, []);
  expect(circles).toEqual([]);
});

/** The lines of each function with more than one, as the linter counts them for its own limit. */
function functionLines(): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'biome-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const rules = {
    recommended: false,
    complexity: { noExcessiveLinesPerFunction: { level: 'error', options: { maxLines: 1 } } },
  };
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ root: true, linter: { rules } }));
  const args = ['lint', `--config-path=${folder}`, '--only=complexity/noExcessiveLinesPerFunction'];
  const { stdout } = spawnSync(
    'node_modules/.bin/biome',
    [...args, '--reporter=json', '--max-diagnostics=none', ...FOLDERS],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  const { diagnostics }: { diagnostics: { message: string }[] } = JSON.parse(stdout);
  return diagnostics.map(({ message }) => Number(/\((\d+)\)/.exec(message)?.[1]));
}

describe('sizes', () => {
  const lines = ({ text }: Source) => text.split('\n').length - 1;

  test('no file has more than 200 lines', () => {
    expect(ALL.filter((source) => lines(source) > 200).map(({ file }) => file)).toEqual([]);
  });

  test('half of the files have at most 65', () => {
    const sorted = ALL.map(lines).sort((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(65);
  });

  test('nine of ten functions that have more than a line have at most 15', () => {
    const counted = functionLines().sort((a, b) => a - b);
    expect(counted.length).toBeGreaterThan(1000);
    expect(counted[Math.floor(counted.length * 0.9)]).toBeLessThanOrEqual(15);
  });

  test('the linter holds functions to 40 lines, 3 parameters and a complexity of 8', () => {
    const { linter, overrides, files } = JSON.parse(readFileSync('biome.json', 'utf8'));
    const { complexity, suspicious } = linter.rules;
    expect(complexity.noExcessiveLinesPerFunction).toMatchObject({ level: 'error', options: { maxLines: 40 } });
    expect(complexity.useMaxParams).toMatchObject({ level: 'error', options: { max: 3 } });
    expect(complexity.noExcessiveCognitiveComplexity.options.maxAllowedComplexity).toBe(8);
    expect([suspicious.noExplicitAny, suspicious.noImportCycles, suspicious.noConsole]).toEqual(Array(3).fill('error'));
    expect(overrides.flatMap(({ includes }: { includes: string[] }) => includes)).toEqual(['test/**', '**/*.test.ts']);
    expect(files.includes.filter((glob: string) => FOLDERS.some((folder) => glob.includes(folder)))).toEqual([]);
  });
});

/** `file: line` of each line of code that matches. */
const found = (pattern: RegExp, text: keyof Pick<Source, 'code' | 'text'> = 'code') =>
  ALL.flatMap((source) =>
    source[text].split('\n').flatMap((line) => (pattern.test(line) ? `${source.file}: ${line.trim()}` : [])),
  );

describe('left out is', () => {
  test('process.env outside one file a program', () => {
    const programs = [
      ...new Set(
        found(/process\s*(\.|\?\.|\[)\s*'?env\b|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/).map((hit) => hit.split(':')[0]),
      ),
    ];
    expect(programs.filter((file) => !/^(functions|agent|cli|local|bench)\/env\.ts$/.test(file ?? ''))).toEqual([]);
  });

  test('any', () => {
    // Rules of different value types stand in one list.
    const known = ['lib/api/rule.ts: rules: Rule<any>[];'];
    const hits = found(/(:|<|\bas|\||=>|,)\s*any\b(?!\s*\()/);
    expect(hits.filter((hit) => !known.includes(hit))).toEqual([]);
  });

  test('a default export, and a file that only hands on others', () => {
    expect(found(/^export default\b/)).toEqual([]);
    expect(found(/^export (\*|\{[^}]*\}|type \{[^}]*\}) from\b/)).toEqual([]);
  });

  test('syntax that is not erasable', () => {
    expect(
      found(/^\s*(export )?(const )?enum \w|^\s*(export )?namespace \w|constructor\((private|public|readonly) /),
    ).toEqual([]);
  });

  test('an import without its ending, or a module of Node without node:', () => {
    const odd = edges(({ text }, { to }) => isOurs(to) && !text.includes('.ts'));
    expect(odd).toEqual([]);
    const builtin = /^(fs|path|http|https|net|os|crypto|url|util|stream|events|child_process|readline|tls|zlib)(\/|$)/;
    expect(edges((_, { to }) => builtin.test(to))).toEqual([]);
    expect(found(/from '\.[^']*(?<!\.(ts|json))'/, 'text')).toEqual([]);
  });

  test('the console, and a silenced rule without a reason', () => {
    expect(found(/\bconsole\./)).toEqual([]);
    expect(found(/biome-ignore [\w/]+\s*:?\s*$|@ts-ignore|@ts-expect-error|@ts-nocheck/, 'text')).toEqual([]);
  });
});

test('each file opens by saying what it is for', () => {
  const silent = ALL.filter(({ text }) => !/^(#!.*\n)?(\/\*\*|\/\/) ?\S?/.test(text)).map(({ file }) => file);
  expect(silent).toEqual([]);
});
