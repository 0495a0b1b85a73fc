/** The completion script for fish. */
import { type CommandNode, NAME_FILTER, type OptionNode, type Tree } from './tree.ts';

const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;

function option({ flags, takesValue, choices, summary }: OptionNode, condition = ''): string {
  const named = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const value = choices.length ? `-x -a ${quoted(choices.join(' '))}` : takesValue ? '-r' : '';
  return ['complete -c tiny', condition, ...named, value, `-d ${quoted(summary)}`].filter(Boolean).join(' ');
}

function command({ names, summary, options, completes }: CommandNode): string[] {
  const [name] = names;
  const seen = `-n '__fish_seen_subcommand_from ${names.join(' ')}'`;
  const list =
    typeof completes === 'string'
      ? `(__tiny_names ${completes === 'session' ? 'ls' : 'questions'})`
      : completes.join(' ');
  return [
    `complete -c tiny -f -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...options.map((one) => option(one, seen)),
    ...(list ? [`complete -c tiny -f ${seen} -a ${quoted(list)}`] : []),
  ];
}

export function fishCompletion({ commands, options }: Tree): string {
  return `# fish completion for tiny: tiny completion fish | source
function __tiny_names
  set -l words (commandline -opc)
  set -l where
  for i in (seq 2 (count $words))
    switch $words[$i]
      case -n --namespace --context --kubeconfig
        set -a where $words[$i] $words[(math $i + 1)]
    end
  end
  command tiny $argv[1] $where -o name 2>/dev/null | string replace -r '.*/' '' | env ${NAME_FILTER}
end
${[...options.map((one) => option(one)), ...commands.flatMap(command)].join('\n')}
`;
}
