/** The completion script for bash. */
import { type CommandNode, NAME_FILTER, type OptionNode, type Tree } from './tree.ts';

const flagsOf = (options: readonly OptionNode[]): string => options.flatMap(({ flags }) => flags).join(' ');

const names = ({ completes }: CommandNode): string => {
  if (completes === 'session') return '$(_tiny_names ls)';
  return completes === 'question' ? '$(_tiny_names questions)' : completes.join(' ');
};

const commandCase = (command: CommandNode): string =>
  `    ${command.names.join('|')}) flags="${flagsOf(command.options)}"; words="${names(command)}" ;;`;

const valueCase = ({ flags, choices }: OptionNode): string =>
  `    ${flags.join('|')}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$cur")); return ;;`;

/** Names come from the cluster, asked with the same namespace and context as the line has so far. */
export function bashCompletion({ commands, options }: Tree): string {
  const all = [...options, ...commands.flatMap((command) => command.options)];
  const chosen = new Map(all.filter(({ choices }) => choices.length).map((option) => [option.flags.join('|'), option]));
  const values = options.filter(({ takesValue }) => takesValue).flatMap(({ flags }) => flags);
  return `# bash completion for tiny: source <(tiny completion bash)
_tiny_names() {
  command tiny "$1" "\${where[@]}" -o name 2>/dev/null | sed 's|.*/||' | env ${NAME_FILTER}
}
_tiny() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} cmd= flags= words= i
  local -a where=()
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      ${values.join('|')}) [[ \${COMP_WORDS[i]} == -o || \${COMP_WORDS[i]} == --output ]] || where+=("\${COMP_WORDS[i]}" "\${COMP_WORDS[i+1]}"); ((i++)) ;;
      -*) ;;
      *) cmd=\${cmd:-\${COMP_WORDS[i]}} ;;
    esac
  done
  case "$prev" in
${[...chosen.values()].map(valueCase).join('\n')}
  esac
  case "$cmd" in
    '') words="${commands.map(({ names: [name] }) => name).join(' ')}" ;;
${commands.map(commandCase).join('\n')}
  esac
  [[ $cur == -* ]] && words="$flags ${flagsOf(options)} --help"
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _tiny tiny
`;
}
