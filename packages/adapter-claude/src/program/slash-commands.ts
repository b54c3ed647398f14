/**
 * Slash commands of Claude Code (CMD-9). It runs those that its `initialize` lists, by their exact name at the very start
 * of a prompt, and some that it does not list. So a person's text reaches it in one of three ways:
 *
 *   a command that is listed and known here, or that is no part of the program   as it is
 *   one that changes what the policy governs, or is new to this release          refused
 *   anything else                                                                behind a line feed, which makes it text
 */
import {
  type BackendConfiguration,
  CodedError,
  commandName,
  findCommand,
  type SlashCommand,
} from '@roundhouse/backend-types'
import { type Frame, recordsAt, textAt } from '../wire/frames'
import { effortLevels } from './launch'

/** Those of the program itself that act on this conversation alone, or are a prompt to the model. */
const builtIn: readonly SlashCommand[] = [
  { name: 'compact', description: 'Summarize the conversation to free context', argumentHint: '[what to keep]' },
  { name: 'clear', description: 'Start over with an empty conversation', aliases: ['new', 'reset'] },
  { name: 'context', description: 'Show what fills the context' },
  { name: 'usage', description: 'Show cost and usage', aliases: ['cost', 'stats'] },
  { name: 'model', description: 'Change the model of this session', argumentHint: '<model>' },
  { name: 'effort', description: 'Change the thinking level of this session', argumentHint: '<level>' },
  { name: 'init', description: 'Write a CLAUDE.md for this folder' },
  { name: 'code-review', description: 'Review the current changes', aliases: ['review'] },
  { name: 'security-review', description: 'Review the current changes for security' },
  { name: 'simplify', description: 'Simplify the changed code' },
  { name: 'verify', description: 'Check that a change does what it should' },
  { name: 'run', description: 'Start the app to see a change work' },
  { name: 'run-skill-generator', description: 'Write a skill that runs this project' },
  { name: 'batch', description: 'Plan a large change and carry it out in parallel', argumentHint: '<instruction>' },
  { name: 'deep-research', description: 'Research a question and write a report' },
  { name: 'dataviz', description: 'Guidance for charts and dashboards' },
  { name: 'claude-api', description: 'Reference for the Claude API' },
  { name: 'workflow-authoring', description: 'Reference for workflow scripts' },
  { name: 'loop', description: 'Repeat a prompt', argumentHint: '[interval] [prompt]', aliases: ['proactive'] },
  { name: 'goal', description: 'Work until a condition is met', argumentHint: '<condition>' },
  { name: 'recap', description: 'Summarize this session in one line' },
  { name: 'rename', description: 'Rename the conversation', argumentHint: '[name]', aliases: ['name'] },
  { name: 'reload-skills', description: 'Load skills that were added or changed' },
  { name: 'debug', description: 'Look for the cause of a problem', argumentHint: '[problem]' },
]

/** What the others change, by name. Several of them the program keeps to its terminal today; a later one may not. */
const governed: ReadonlyArray<readonly [what: string, names: string]> = [
  ['which folders a session may use', 'add-dir cd'],
  ['permissions', 'permissions allowed-tools fewer-permission-prompts auto-mode-setup sandbox yolo'],
  ['hooks', 'hooks plugin-authoring'],
  ['MCP servers', 'mcp'],
  ['plugins', 'plugin plugins marketplace reload-plugins'],
  ['agents and memory outside this conversation', 'agents memory'],
  [
    'settings',
    'config settings update-config output-style autocompact fast doctor checkup theme statusline keybindings vim color focus terminal-setup privacy-settings',
  ],
  ['the login', 'login logout setup-token upgrade extra-usage install-github-app install-slack-app'],
  ['what lies outside this session', 'heapdump insights team-onboarding list-agents peers resume continue exit quit'],
  [
    'how the program is reached',
    'remote-control remote-env teleport ide chrome __remote-workflow workflow-launch-exec',
  ],
]

const refusedNames = new Map(governed.flatMap(([what, names]) => names.split(' ').map((name) => [name, what] as const)))

/** By its name alone, whether a program runs or not. */
export function refuseCommand(text: string): CodedError | null {
  const name = commandName(text)
  if (name === null) return null
  const what = refusedNames.get(name.toLowerCase())
  if (what === undefined) return null
  return refusal(name, `/${name} changes ${what}. This machine's policy decides that, not a prompt.`)
}

const refusal = (name: string, message: string) =>
  new CodedError('POLICY_DENIED', message, { rule: 'slashCommands', command: name })

/**
 * The setting that a command changes. The program keeps it until it ends; the session keeps it for the next one (RES-7).
 * Measured: it takes any name of a model, and of levels those that it has.
 */
export function settingOf(text: string): BackendConfiguration | null {
  const [, command, value] = /^\/(model|effort)\s+(\S+)\s*$/.exec(text) ?? []
  if (value === undefined) return null
  if (command === 'model') return { model: value }
  return effortLevels.includes(value) ? { thinking: value } : null
}

/** The commands of one running program. */
export class Commands {
  /** Also what no person may send. */
  private listed: SlashCommand[] = [...builtIn]
  private ofProgram = new Set<string>()

  /** `initialize` told them; one that tells none has those that are known here. */
  told(introduction: Frame): void {
    const frames = recordsAt(introduction, 'commands').filter((frame) => textAt(frame, 'name'))
    if (frames.length === 0) return
    this.listed = frames.map(readCommand)
    this.ofProgram = new Set(frames.flatMap((frame) => (frame.builtin === true ? [textAt(frame, 'name') ?? ''] : [])))
  }

  /** `init` names them at each turn: prompts of MCP servers come later than the introduction. */
  named(names: readonly unknown[]): boolean {
    const added = names.filter(
      (name): name is string => typeof name === 'string' && name.startsWith('mcp__') && !this.find(name),
    )
    this.listed.push(...added.map((name) => ({ name: name.slice(0, 200), description: 'A prompt of an MCP server' })))
    return added.length > 0
  }

  get offered(): readonly SlashCommand[] {
    return this.listed.filter(({ name }) => this.mayRun(name))
  }

  /** Why a running program is not given this text. */
  refuse(text: string): CodedError | null {
    const name = commandName(text)
    const command = name === null ? undefined : this.find(name)
    const byName = refuseCommand(text)
    if (byName || !command || this.mayRun(command.name)) return byName
    return refusal(name ?? '', `/${name} is new in this version of Claude Code. Nobody knows here what it changes.`)
  }

  /** As the program is given it. */
  asSent(text: string): string {
    return this.has(text) ? text : hideSlash(text)
  }

  has(text: string): boolean {
    const name = commandName(text)
    return name !== null && this.find(name) !== undefined
  }

  private find(name: string): SlashCommand | undefined {
    return findCommand(this.listed, name)
  }

  private mayRun(name: string): boolean {
    if (refuseCommand(`/${name}`)) return false
    return !this.ofProgram.has(name) || findCommand(builtIn, name) !== undefined
  }
}

/** Measured on 2.1.330: a text that begins with a line feed is no command, and its transcript keeps it. */
const hideSlash = (text: string) => (/^\n*\//.test(text) ? `\n${text}` : text)

/** What a person sent, as the transcript has it. */
export const showSlash = (text: string) => text.replace(/^\n(?=\n*\/)/, '')

function readCommand(frame: Frame): SlashCommand {
  const name = (textAt(frame, 'name') ?? '').slice(0, 200)
  const own = findCommand(builtIn, name)
  const hint = textAt(frame, 'argumentHint')?.slice(0, 200)
  const aliases = Array.isArray(frame.aliases) ? frame.aliases.filter((alias) => typeof alias === 'string') : []
  return {
    name,
    description: frame.builtin === true && own ? own.description : firstSentence(textAt(frame, 'description') ?? ''),
    ...(hint ? { argumentHint: hint } : {}),
    ...(aliases.length > 0 ? { aliases: aliases.slice(0, 16).map((alias) => alias.slice(0, 200)) } : {}),
  }
}

/** The descriptions of skills are long instructions to the model. */
function firstSentence(text: string): string {
  const line = text.split('\n')[0] ?? ''
  return line.length > 200 ? `${line.slice(0, 199)}…` : line
}
