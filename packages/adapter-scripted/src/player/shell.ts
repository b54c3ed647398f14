/**
 * A shell that runs nothing: it understands the few commands that stories use to see whether a command ran. Commands are
 * parted by `;` or `&&`; a `>` or `>>` goes into a file of the workspace.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import type { Settings, ToolOutcome } from '../script/frames'
import { placeToRead, placeToWrite } from './files'
import { pause } from './pause'

export interface Shell {
  workDir: string
  env: Record<string, string | undefined>
  settings: Settings
  signal: AbortSignal
}

interface Said {
  text: string
  failed: boolean
}

/** `unknown` is what a command gives that the shell does not understand. */
export async function runShell(shell: Shell, line: string, unknown: string): Promise<ToolOutcome> {
  const outputs: string[] = []
  for (const command of splitCommands(line)) {
    if (shell.signal.aborted) break
    const said = await runCommand(shell, command, unknown)
    outputs.push(said.text)
    if (said.failed) return { output: outputs.join(''), failed: true }
  }
  return { output: outputs.join(''), failed: false }
}

async function runCommand(shell: Shell, command: string, unknown: string): Promise<Said> {
  const redirect = /^(.*?)\s*(>>?)\s*(\S+)$/s.exec(command)
  const said = await runWords(shell, words(redirect?.[1] ?? command), unknown)
  const target = redirect?.[3]
  if (said.failed || target === undefined) return said
  const place = placeToWrite(shell.workDir, unquote(target), shell.settings)
  if ('refused' in place) return { text: `${place.refused}\n`, failed: true }
  const write = redirect?.[2] === '>>' ? appendFileSync : writeFileSync
  write(place.path, said.text)
  return { text: '', failed: false }
}

async function runWords(shell: Shell, [program = '', ...args]: string[], unknown: string): Promise<Said> {
  switch (program) {
    case 'echo':
      return { text: `${args.join(' ')}\n`, failed: false }
    case 'printf':
      return { text: args.join(' ').replaceAll('\\n', '\n'), failed: false }
    case 'printenv': {
      const value = shell.env[args[0] ?? '']
      return value === undefined ? { text: '', failed: true } : { text: `${value}\n`, failed: false }
    }
    case 'cat':
      return readText(shell, args[0] ?? '')
    case 'sleep':
      await pause(Number(args[0]) * 1000 || 0, shell.signal)
      return { text: '', failed: false }
    case 'pwd':
      return { text: `${shell.workDir}\n`, failed: false }
    case 'true':
      return { text: '', failed: false }
    case 'false':
      return { text: '', failed: true }
    default:
      return { text: unknown, failed: false }
  }
}

function readText(shell: Shell, path: string): Said {
  const place = placeToRead(shell.workDir, path, shell.settings)
  if ('refused' in place) return { text: `${place.refused}\n`, failed: true }
  try {
    return { text: readFileSync(place.path, 'utf8'), failed: false }
  } catch {
    return { text: `cat: ${path}: No such file or directory\n`, failed: true }
  }
}

function splitCommands(line: string): string[] {
  const parts = line.match(/"[^"]*"|'[^']*'|&&|;|[^"';&]+|./gs) ?? []
  const commands = ['']
  for (const part of parts) {
    if (part === '&&' || part === ';') commands.push('')
    else commands[commands.length - 1] += part
  }
  return commands.map((command) => command.trim()).filter((command) => command !== '')
}

function words(command: string): string[] {
  return (command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map(unquote)
}

function unquote(word: string): string {
  return /^(["']).*\1$/s.test(word) ? word.slice(1, -1) : word
}
