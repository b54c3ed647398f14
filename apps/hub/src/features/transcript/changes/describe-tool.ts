/**
 * A tool call in people's words: a verb and an object for the one-line summary, and the details as a shell command,
 * an edit, a patch or tidy JSON. Knows the tools of Claude Code and Codex by their wire names; the rest is shown as it is.
 * Pure.
 */
import { type CutValue, isCutValue, type PermissionAsk } from '@roundhouse/backend-types'

export type ToolDetail =
  | { kind: 'command'; text: string }
  | { kind: 'changes'; changes: DrawnChange[] }
  | { kind: 'json'; text: string }
  /** Markdown. */
  | { kind: 'plan'; text: string }
  /** Every member of the input. */
  | { kind: 'members'; members: Array<[name: string, value: unknown]> }
  | { kind: 'cut'; value: CutValue }
  | { kind: 'none' }

/** What is asked of one file. `add` and `delete` have all of its text. */
export type DrawnChange =
  | { kind: 'write' | 'add' | 'delete'; path: string; text: string }
  | { kind: 'edit'; path: string; before: string; after: string; everywhere: boolean }
  | { kind: 'patch'; path: string; diff: string }

export interface ToolWords {
  verb: string
  object: string
  /** The object, where it is files. */
  paths?: readonly string[]
  /** What it wants, after "asks to". */
  wish: string
  detail: ToolDetail
}

const cutOf = (input: unknown): CutValue | null => (isCutValue(input) ? input : null)

/** The members that the details above leave out of an input: a prompt shows the complete action (PERM-7). */
export function undrawnInput(
  toolName: string,
  input: unknown,
  cut: CutValue | null = cutOf(input),
): Array<[name: string, value: unknown]> {
  const names = Object.hasOwn(drawn, toolName) ? drawn[toolName] : undefined
  if (!names || typeof input !== 'object' || input === null || cut) return []
  return Object.entries(input).filter(([name]) => !names.includes(name))
}

/** The members that each special detail draws in full. Tools that are shown as JSON leave nothing out. */
const drawn: Record<string, readonly string[]> = {
  Bash: ['command'],
  commandExecution: ['command'],
  exec_command: ['cmd'],
  Write: ['file_path', 'content'],
  Edit: ['file_path', 'old_string', 'new_string'],
  fileChange: [],
  Agent: ['prompt'],
  Task: ['prompt'],
}

type Fields = Record<string, unknown>

/** What the host cut of a question. An input that only looks cut is what the program asked, and is shown as it is. */
export function cutOfAsk(ask: Pick<PermissionAsk, 'input' | 'inputCut'>): CutValue | null {
  return ask.inputCut ? cutOf(ask.input) : null
}

/** `cut`: for a permission question `cutOfAsk`. Elsewhere nothing is decided by what an input looks like. */
export function describeTool(toolName: string, input: unknown, cut: CutValue | null = cutOf(input)): ToolWords {
  if (cut)
    return {
      verb: toolLabel(toolName),
      object: '',
      wish: `use ${toolLabel(toolName)}`,
      detail: { kind: 'cut', value: cut },
    }
  const fields: Fields = typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Fields) : {}
  const describe = Object.hasOwn(known, toolName) ? known[toolName] : undefined
  return (describe ?? unknownTool(toolName))(fields, input)
}

type Describe = (fields: Fields, input: unknown) => ToolWords

const text = (fields: Fields, ...names: string[]) => {
  for (const name of names) if (typeof fields[name] === 'string') return fields[name]
  return ''
}

const files = (...paths: string[]) => ({ object: paths.join(', '), paths })

/** The object as it is called inside the session's folder. What is decided on is the true one. */
export function shortObject({ object, paths }: ToolWords, folders: readonly string[]): string {
  return paths ? paths.map((path) => pathWithin(path, folders)).join(', ') : object
}

function pathWithin(path: string, folders: readonly string[]): string {
  const folder = folders.find((one) => path.startsWith(`${one.replace(/\/$/, '')}/`))
  return folder === undefined ? path : path.slice(folder.replace(/\/$/, '').length + 1) || path
}

const shell: Describe = (fields) => {
  const command = unwrapShell(text(fields, 'command', 'cmd'))
  return { verb: 'Run', object: firstLine(command), wish: 'run a command', detail: { kind: 'command', text: command } }
}
const read: Describe = (fields) => ({
  verb: 'Read',
  ...files(text(fields, 'file_path', 'path')),
  wish: 'read a file',
  detail: membersOf(fields),
})
const write: Describe = (fields) => {
  const path = text(fields, 'file_path', 'path')
  const change = { kind: 'write', path, text: text(fields, 'content') } as const
  return { verb: 'Write', ...files(path), wish: 'write a file', detail: { kind: 'changes', changes: [change] } }
}
const edit: Describe = (fields) => {
  const path = text(fields, 'file_path', 'path')
  const [before, after] = [text(fields, 'old_string'), text(fields, 'new_string')]
  const change = { kind: 'edit', path, before, after, everywhere: fields.replace_all === true } as const
  return { verb: 'Edit', ...files(path), wish: 'edit a file', detail: { kind: 'changes', changes: [change] } }
}
const patch: Describe = (fields) => {
  const changes = Array.isArray(fields.changes) ? fields.changes.map(changeOf) : []
  const wish = changes.length === 1 ? 'edit a file' : `edit ${changes.length} files`
  return { verb: 'Edit', ...files(...changes.map(({ path }) => path)), wish, detail: { kind: 'changes', changes } }
}
const look: Describe = (fields) => ({
  verb: 'Look at',
  ...files(text(fields, 'path')),
  wish: 'look at an image',
  detail: membersOf(fields),
})
const pause: Describe = (fields) => ({
  verb: 'Wait',
  object: typeof fields.durationMs === 'number' ? `${fields.durationMs / 1_000} s` : '',
  wish: 'wait',
  detail: membersOf(fields),
})
const search: Describe = (fields) => ({
  verb: 'Search',
  object: text(fields, 'pattern', 'query'),
  wish: 'search',
  detail: membersOf(fields),
})
const fetchPage: Describe = (fields) => ({
  verb: 'Fetch',
  object: text(fields, 'url'),
  wish: 'fetch a page',
  detail: membersOf(fields),
})
const subAgent: Describe = (fields) => ({
  verb: 'Sub-agent',
  object: text(fields, 'description', 'prompt'),
  wish: 'start a sub-agent',
  detail: { kind: 'command', text: text(fields, 'prompt') },
})

/** Codex names it by its place among the others (`/root/helper`), or tells its task. */
const spawned: Describe = (fields) => ({
  verb: 'Sub-agent',
  object: firstLine(text(fields, 'agent', 'prompt').replace(/^\/root\//, '')),
  wish: 'start a sub-agent',
  detail: membersOf(fields),
})

/** Each question with what there was to choose, or, once it is answered, with the answer. */
const question: Describe = (fields) => {
  const questions = (Array.isArray(fields.questions) ? fields.questions : []).map((one) => (one ?? {}) as Fields)
  const answers = (typeof fields.answers === 'object' && fields.answers !== null ? fields.answers : {}) as Fields
  const members = questions.map((one): [string, unknown] => {
    const asked = text(one, 'question')
    const options = (Array.isArray(one.options) ? one.options : []).map((option) =>
      text((option ?? {}) as Fields, 'label'),
    )
    const answer = answers[asked] ?? answers[text(one, 'id')]
    return [asked, answer === undefined ? options.join(' / ') : Array.isArray(answer) ? answer.join(', ') : answer]
  })
  const object = members[0]?.[0] ?? ''
  return { verb: 'Question', object, wish: 'ask a question', detail: { kind: 'members', members } }
}
const planned: Describe = (fields) => {
  const plan = text(fields, 'plan')
  const detail: ToolDetail = plan === '' ? { kind: 'none' } : { kind: 'plan', text: plan }
  return { verb: 'Plan', object: planObject(plan), wish: 'begin with its plan', detail }
}

/** What the plan is about, behind the word itself, which is said already. */
export function planObject(plan: string): string {
  const lines = plan.split('\n').map((line) => line.replace(/^\s*(?:#+|[-*]|\d+[.)])\s+/, '').trim())
  const about = lines.map((line) => line.replace(/^(?:the )?plan\b[:.]?\s*/i, ''))
  return firstLine(about.find((line) => line !== '') ?? '')
}

const known: Record<string, Describe> = {
  AskUserQuestion: question,
  request_user_input: question,
  ExitPlanMode: planned,
  Bash: shell,
  commandExecution: shell,
  exec_command: shell,
  Read: read,
  Write: write,
  Edit: edit,
  fileChange: patch,
  Grep: search,
  Glob: search,
  WebSearch: search,
  webSearch: search,
  WebFetch: fetchPage,
  imageView: look,
  sleep: pause,
  spawnAgent: spawned,
  Agent: subAgent,
  Task: subAgent,
}

/** A tool of an MCP server says which; every other is called as the program calls it. */
export function toolLabel(toolName: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(toolName) ?? []
  return server && tool ? `${server}: ${tool}` : toolName
}

function unknownTool(toolName: string): Describe {
  return (fields, input) => ({
    verb: toolLabel(toolName),
    object: firstLine(firstString(fields)),
    wish: `use ${toolLabel(toolName)}`,
    detail: jsonOf(input),
  })
}

function membersOf(fields: Fields): ToolDetail {
  const members = Object.entries(fields)
  return members.length > 0 ? { kind: 'members', members } : { kind: 'none' }
}

function jsonOf(input: unknown): ToolDetail {
  const empty = typeof input === 'object' && input !== null && Object.keys(input).length === 0
  return input === undefined || empty ? { kind: 'none' } : { kind: 'json', text: JSON.stringify(input, null, 2) }
}

/** Of a file that comes or goes Codex gives the text, of another one the diff. */
function changeOf(change: unknown): DrawnChange {
  const fields = (change ?? {}) as Fields
  const [path, diff] = [text(fields, 'path'), text(fields, 'diff')]
  const kind = text((fields.kind ?? {}) as Fields, 'type')
  return kind === 'add' || kind === 'delete' ? { kind, path, text: diff } : { kind: 'patch', path, diff }
}

/** Codex wraps every command as `/bin/bash -lc '...'`; people read the inside. Only an exact, single quoting is undone. */
export function unwrapShell(command: string): string {
  const inside = /^\/bin\/(?:ba|z)?sh -lc '([^']*)'$/.exec(command)?.[1]
  return inside ?? command
}

function firstString(fields: Fields): string {
  for (const value of Object.values(fields)) if (typeof value === 'string') return value
  return ''
}

const firstLine = (value: string) => value.split('\n', 1)[0]?.slice(0, 200) ?? ''
