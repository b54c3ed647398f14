/**
 * Whether a command is among those that begin with certain words. Pure. A beginning counts word by word and as it was
 * spelled: `npm test` covers `npm test --watch`, neither `npm testx` nor `"npm" test` nor `/bin/npm test`. Each simple
 * command of a line has to be covered by itself, and what cannot be read with certainty is not.
 */
import { type SimpleCommand, simpleCommandsOf } from './simple-commands'

export type Beginning = readonly string[]

/** The words that follow the beginnings, which a caller looks at as names; null where the command is not covered. */
export function operandsBehind(beginnings: readonly Beginning[], text: string): string[] | null {
  const commands = simpleCommandsOf(text)
  if (commands === null) return null
  const operands: string[] = []
  for (const command of commands) {
    const beginning = beginnings.find((one) => beginsWith(command, one))
    if (beginning === undefined) return null
    operands.push(...command.slice(beginning.length).map((word) => word.text))
  }
  return operands.some(leadsElsewhere) ? null : operands
}

function beginsWith(command: SimpleCommand, beginning: Beginning): boolean {
  return (
    beginning.length > 0 &&
    beginning.length <= command.length &&
    beginning.every((word, index) => command[index]?.quoted === false && command[index]?.text === word)
  )
}

/** Options by which a program works in another folder, or runs another program. Not all there are: those of common tools. */
const OTHER_FOLDER = ['C', 'prefix', 'cwd', 'dir', 'directory', 'chdir', 'work-tree', 'git-dir', 'manifest-path']
const OTHER_PROGRAM = [
  ...[
    'exec',
    'execdir',
    'exec-path',
    'toolexec',
    'script-shell',
    'shell',
    'node-options',
    'node-arg',
    'import',
    'eval',
  ],
  ...['ext-diff', 'open-files-in-pager', 'upload-pack', 'receive-pack', 'rsh', 'ssh-command', 'pager', 'editor'],
  ...['use-compress-program', 'checkpoint-action', 'to-command', 'call', 'init-file', 'rcfile'],
]
const ELSEWHERE = new RegExp(`^(?:-C.*|--?(?:${[...OTHER_FOLDER, ...OTHER_PROGRAM].join('|')})(?:=.*)?)$`, 's')

const leadsElsewhere = (word: string): boolean => ELSEWHERE.test(word)
