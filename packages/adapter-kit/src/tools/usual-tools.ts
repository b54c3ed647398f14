/** Tools that most programs have, made from the names that a program gives to the members of their inputs. */
import { type InputShape, type InputShapeOf, type ToolDisplay, unwrapShell } from '@roundhouse/backend-types'
import { type Fields, fieldsOf, firstLine, listIn, textIn } from './fields'
import type { KnownTool } from './known-tools'

type Names<K extends InputShape['kind']> = Omit<InputShapeOf<K>, 'kind'>

const members = { kind: 'members' } as const

export const runsCommand = (names: Names<'command'>): KnownTool => ({
  shape: { kind: 'command', ...names },
  describe: (fields) => ({
    verb: 'Run',
    wish: 'run a command',
    command: unwrapShell(textIn(fields, names.command)),
  }),
})

export const readsFile = (path: string): KnownTool => ({
  shape: members,
  describe: (fields) => ({ verb: 'Read', wish: 'read a file', ...files([textIn(fields, path)]) }),
})

export const writesFile = (names: Names<'write'>): KnownTool => ({
  shape: { kind: 'write', ...names },
  describe: (fields) => ({ verb: 'Write', wish: 'write a file', ...files([textIn(fields, names.path)]) }),
})

export const editsFile = (names: Names<'edit'>): KnownTool => ({
  shape: { kind: 'edit', ...names },
  describe: (fields) => ({ verb: 'Edit', wish: 'edit a file', ...files([textIn(fields, names.path)]) }),
})

/** `changes`: the member with the list of patches. */
export const patchesFiles = (changes: string): KnownTool => ({
  shape: { kind: 'patches', changes },
  describe: (fields) => {
    const paths = listIn(fields, changes).map((change) => textIn(fieldsOf(change), 'path'))
    const wish = paths.length === 1 ? 'edit a file' : `edit ${paths.length} files`
    return { verb: 'Edit', wish, ...files(paths) }
  },
})

/** `pattern`: the members that may say what is looked for. */
export const searches = (...pattern: readonly string[]): KnownTool => ({
  shape: members,
  describe: (fields) => ({ verb: 'Search', wish: 'search', object: textIn(fields, ...pattern) }),
})

export const fetchesPage = (url: string): KnownTool => ({
  shape: members,
  describe: (fields) => ({ verb: 'Fetch', wish: 'fetch a page', object: textIn(fields, url) }),
})

export const looksAtImage = (path: string): KnownTool => ({
  shape: members,
  describe: (fields) => ({ verb: 'Look at', wish: 'look at an image', ...files([textIn(fields, path)]) }),
})

export const waits = (ms: string): KnownTool => ({
  shape: members,
  describe: (fields) => {
    const time = fields[ms]
    return { verb: 'Wait', wish: 'wait', object: typeof time === 'number' ? `${time / 1_000} s` : '' }
  },
})

/** `name`: what the sub-agent is called, where the call says so. */
export const startsSubAgent = (task: string, name: string): KnownTool => ({
  shape: { kind: 'task', text: task },
  describe: (fields) => subAgent(textIn(fields, name, task)),
})

export const subAgent = (object: string): ToolDisplay => ({ verb: 'Sub-agent', wish: 'start a sub-agent', object })

export const asksQuestions = (names: Names<'questions'>): KnownTool => ({
  shape: { kind: 'questions', ...names },
  describe: (fields) => {
    const [first] = listIn(fields, names.questions)
    return { verb: 'Question', wish: 'ask a question', object: textIn(fieldsOf(first), 'question') }
  },
})

export const hasPlan = (plan: string): KnownTool => ({
  shape: { kind: 'plan', text: plan },
  describe: (fields: Fields) => ({
    verb: 'Plan',
    wish: 'begin with its plan',
    object: planObject(textIn(fields, plan)),
  }),
})

/** What the plan is about, behind the word itself, which is said already. */
export function planObject(plan: string): string {
  const lines = plan.split('\n').map((line) => line.replace(/^\s*(?:#+|[-*]|\d+[.)])\s+/, '').trim())
  const about = lines.map((line) => line.replace(/^(?:the )?plan\b[:.]?\s*/i, ''))
  return firstLine(about.find((line) => line !== '') ?? '')
}

const files = (paths: readonly string[]) => ({ paths: paths.filter((path) => path !== '') })
