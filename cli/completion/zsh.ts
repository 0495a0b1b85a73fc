/** The completion script for zsh. */
import { type CommandNode, NAME_FILTER, type OptionNode, type Tree } from './tree.ts';

/** Inside single quotes, and with the characters that `_arguments` reads. */
const quoted = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&').replaceAll("'", "'\\''");

const value = ({ takesValue, choices }: OptionNode): string => {
  if (!takesValue) return '';
  return choices.length ? `:value:(${choices.join(' ')})` : ':value:_files';
};

const specs = (option: OptionNode): string[] =>
  option.flags.map((flag) => `'*${flag}[${quoted(option.summary)}]${value(option)}'`);

/** After the colon a space: the function is then called with these words alone. */
const names = ({ completes }: CommandNode): string => {
  if (completes === 'session') return "'*:session: _tiny_names ls'";
  if (completes === 'question') return "'*:question: _tiny_names questions'";
  return completes.length ? `'*:word:(${completes.join(' ')})'` : "'*:file:_files'";
};

const commandCase = (command: CommandNode): string =>
  `    ${command.names.join('|')}) _arguments $shared ${[...command.options.flatMap(specs), names(command)].join(' ')} ;;`;

export function zshCompletion({ commands, options }: Tree): string {
  const described = commands.map(({ names: [name], summary }) => `'${quoted(name ?? '')}:${quoted(summary)}'`);
  const values = options.filter(({ takesValue }) => takesValue).flatMap(({ flags }) => flags);
  return `#compdef tiny
# zsh completion for tiny: source <(tiny completion zsh)
_tiny_names() {
  local -a found where
  local i
  for ((i = 2; i < $#line_words; i++)); do
    case "$line_words[i]" in
      -n|--namespace|--context|--kubeconfig) where+=("$line_words[i]" "$line_words[i+1]") ;;
    esac
  done
  found=(\${(f)"$(command tiny $1 $where -o name 2>/dev/null | sed 's|.*/||' | env ${NAME_FILTER})"})
  compadd -a found
}
_tiny_commands() {
  local -a commands
  commands=(${described.join(' ')})
  _describe command commands
}
_tiny() {
  local -a shared line_words
  local i=2
  line_words=($words)
  shared=(${options.flatMap(specs).join(' ')})
  while (( i < CURRENT )); do
    case "$words[i]" in
      ${values.join('|')}) (( i += 2 )) ;;
      -*) (( i++ )) ;;
      *) break ;;
    esac
  done
  if (( i >= CURRENT )); then
    _arguments $shared '1:command:_tiny_commands'
    return
  fi
  words=("\${(@)words[i,-1]}")
  (( CURRENT -= i - 1 ))
  case "$words[1]" in
${commands.map(commandCase).join('\n')}
  esac
}
compdef _tiny tiny
`;
}
