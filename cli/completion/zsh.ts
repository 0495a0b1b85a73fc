/** The completion script for zsh. */
import type { CommandNode, OptionNode, Tree } from './tree.ts';

/** Inside single quotes, and with the characters that `_arguments` reads. */
const quoted = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&').replaceAll("'", "'\\''");

const value = ({ takesValue, choices }: OptionNode): string => {
  if (!takesValue) return '';
  return choices.length ? `:value:(${choices.join(' ')})` : ':value:_files';
};

const specs = (option: OptionNode): string[] =>
  option.flags.map((flag) => `'*${flag}[${quoted(option.summary)}]${value(option)}'`);

const names = ({ completes }: CommandNode): string => {
  if (completes === 'session') return "'*:session:_tiny_names ls'";
  if (completes === 'question') return "'*:question:_tiny_names questions'";
  return completes.length ? `'*:word:(${completes.join(' ')})'` : "'*:file:_files'";
};

const commandCase = (command: CommandNode): string =>
  `    ${command.names.join('|')}) _arguments $shared ${[...command.options.flatMap(specs), names(command)].join(' ')} ;;`;

export function zshCompletion({ commands, options }: Tree): string {
  const described = commands.map(({ names: [name], summary }) => `'${quoted(name ?? '')}:${quoted(summary)}'`);
  return `#compdef tiny
# zsh completion for tiny: source <(tiny completion zsh)
_tiny_names() {
  local -a found where
  local i
  for ((i = 2; i < CURRENT; i++)); do
    case "$words[i]" in
      -n|--namespace|--context|--kubeconfig) where+=("$words[i]" "$words[i+1]") ;;
    esac
  done
  found=(\${\${(f)"$(command tiny $1 $where -o name 2>/dev/null)"}##*/})
  compadd -a found
}
_tiny() {
  local curcontext="$curcontext" state line
  local -a shared commands
  shared=(${options.flatMap(specs).join(' ')})
  commands=(${described.join(' ')})
  _arguments -C $shared '1:command:->command' '*::argument:->argument'
  case "$state" in
    command) _describe command commands ;;
    argument) case "$line[1]" in
${commands.map(commandCase).join('\n')}
    esac ;;
  esac
}
compdef _tiny tiny
`;
}
