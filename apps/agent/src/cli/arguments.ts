/** Parses the command line into data. Pure: reads and starts nothing. */
import { parseArgs } from 'node:util'
import { busLimits, CodedError, type OwnTool, TopicPattern } from '@roundhouse/backend-types'

export type Verb =
  /** `about`: one command. */
  | { verb: 'help'; about?: string }
  | { verb: 'version' }
  | {
      verb: 'join'
      url: string
      fingerprint: string
      tokenFile: string | null
      name: string | null
      plainHttp: boolean
      replace: boolean
    }
  | { verb: 'up'; ownSessions: boolean; idleMs: number; allowRoot: boolean }
  | { verb: 'allow'; folder: string }
  | { verb: 'status' }
  | { verb: 'doctor' }
  | { verb: 'audit-heads' }
  | { verb: 'rotate-key' }
  | { verb: 'stop' }
  | { verb: 'policy' }
  | { verb: 'pause'; stop: boolean }
  | { verb: 'resume' }
  /** `revoke`: the id of a rule. */
  | { verb: 'rules'; revoke: string | null }
  | { verb: 'log'; follow: boolean; json: boolean }
  /** An MCP server, for the program of a session that starts it. */
  | { verb: 'tools' }
  /** Inside a session. `input` null: from stdin. */
  | { verb: 'publish'; what: PublishWord; input: string | null }
  /** With a token, to a hub. `input` null: from stdin. */
  | ({ verb: 'publish-message'; input: string | null } & ToHub)
  | ({ verb: 'subscribe'; patterns: string[]; after: number | null; name: string | null } & ToHub)
  | { verb: 'bridge'; backend: string; callbackMs: number | null }
  /** `prompt` null: from stdin. `folder` null: where it was started. */
  | {
      verb: 'run'
      prompt: string | null
      backend: string
      folder: string | null
      model: string | null
      ask: boolean
      json: boolean
    }

/** Which hub a program with a token speaks to. Null: from the environment. */
interface ToHub {
  hub: string | null
  tokenFile: string | null
  plainHttp: boolean
}

/** What a program of a session can say by the command line: each is one of the tools (`tool-contract/tools.ts`). */
export const publishWords = {
  event: 'publish_event',
  phase: 'publish_phase',
  complete: 'complete',
  ask: 'ask_orchestrator',
  commands: 'read_commands',
  send: 'send_message',
  spawn: 'spawn_session',
  wait: 'wait_sessions',
  read: 'read_session',
} as const satisfies Record<string, OwnTool>
export type PublishWord = keyof typeof publishWords

/** SES-6. */
export const DEFAULT_IDLE_MS = 15 * 60_000

const options = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  fingerprint: { type: 'string' },
  'token-file': { type: 'string' },
  name: { type: 'string' },
  'plain-http': { type: 'boolean' },
  replace: { type: 'boolean' },
  'own-sessions': { type: 'boolean' },
  'idle-ms': { type: 'string' },
  'allow-root': { type: 'boolean' },
  sessions: { type: 'boolean' },
  stop: { type: 'boolean' },
  follow: { type: 'boolean', short: 'f' },
  json: { type: 'boolean' },
  backend: { type: 'string' },
  'callback-ms': { type: 'string' },
  hub: { type: 'string' },
  after: { type: 'string' },
  folder: { type: 'string' },
  model: { type: 'string' },
  ask: { type: 'boolean' },
} as const
type Option = keyof typeof options

const taken: Readonly<Record<string, readonly Option[]>> = {
  join: ['fingerprint', 'token-file', 'name', 'plain-http', 'replace'],
  up: ['own-sessions', 'idle-ms', 'allow-root'],
  allow: [],
  status: [],
  doctor: [],
  'audit-heads': [],
  'rotate-key': [],
  stop: ['sessions'],
  policy: [],
  pause: ['stop'],
  resume: [],
  rules: [],
  log: ['follow', 'json'],
  bridge: ['backend', 'callback-ms'],
  run: ['backend', 'folder', 'model', 'ask', 'json'],
  tools: [],
  publish: ['hub', 'token-file', 'plain-http'],
  subscribe: ['hub', 'token-file', 'plain-http', 'after', 'name'],
}

export function readArguments(argv: readonly string[]): Verb {
  const { values, positionals } = parse(argv)
  if (values.version) return { verb: 'version' }
  const [verb, subject, ...rest] = positionals
  if (values.help) return verb === undefined ? { verb: 'help' } : { verb: 'help', about: verb }
  if (verb === undefined) return { verb: 'help' }
  const allowed = taken[verb]
  if (!allowed) throw usage(`Unknown command "${verb}". See: roundhouse-agent --help`)
  const foreign = (Object.keys(values) as Option[]).find((option) => !allowed.includes(option))
  if (foreign) throw usage(`"${verb}" has no option --${foreign}.`)
  if (verb === 'rules') return rulesVerb(subject, rest)
  if (verb === 'publish') return publishVerb(subject, rest, values)
  if (verb === 'subscribe') return subscribeVerb(positionals.slice(1), values)
  if (verb === 'run') return runVerb(positionals.slice(1), values)
  const extra = verb === 'join' || verb === 'allow' ? rest[0] : subject
  if (extra !== undefined) {
    throw usage(
      verb === 'join'
        ? 'Do not pass the token as an argument: other programs can read it there. Pipe it in, or use --token-file.'
        : `"${verb}" does not accept "${extra}".`,
    )
  }
  return verbOf(verb, subject, values)
}

function rulesVerb(subject: string | undefined, [ruleId, ...rest]: readonly string[]): Verb {
  if (subject === undefined) return { verb: 'rules', revoke: null }
  if (subject === 'revoke' && ruleId !== undefined && rest.length === 0) return { verb: 'rules', revoke: ruleId }
  throw usage('This command is: roundhouse-agent rules, or: roundhouse-agent rules revoke <id>')
}

function publishVerb(what: string | undefined, [given, ...rest]: readonly string[], values: Values): Verb {
  const isKnown = (word: string | undefined): word is PublishWord =>
    word !== undefined && Object.hasOwn(publishWords, word)
  const input = given === '-' ? null : (given ?? null)
  if (what === 'message' && rest.length === 0) return { verb: 'publish-message', input, ...toHub(values) }
  const [option] = Object.keys(values)
  if (option !== undefined) throw usage(`"publish ${what ?? ''}" has no option --${option}.`)
  if (isKnown(what) && rest.length === 0) return { verb: 'publish', what, input }
  throw usage(`This command is: roundhouse-agent publish message|${Object.keys(publishWords).join('|')} <json>`)
}

function subscribeVerb(given: readonly string[], values: Values): Verb {
  const foreign = given.find((pattern) => !TopicPattern.safeParse(pattern).success)
  if (foreign !== undefined) throw usage(`"${foreign}" is not a pattern of topics. Example: 'worker.*.event'`)
  if (given.length > busLimits.patterns) throw usage(`There are at most ${busLimits.patterns} patterns.`)
  return {
    verb: 'subscribe',
    patterns: given.length > 0 ? [...given] : ['**'],
    after: readOffset(values.after),
    name: values.name ?? null,
    ...toHub(values),
  }
}

function runVerb([given, ...rest]: readonly string[], values: Values): Verb {
  if (given === undefined)
    throw usage('The prompt is missing: roundhouse-agent run "<prompt>", or - to read it from stdin')
  if (rest.length > 0) throw usage('The prompt is one argument. Put it in quotes.')
  return {
    verb: 'run',
    prompt: given === '-' ? null : given,
    backend: values.backend ?? 'claude',
    folder: values.folder ?? null,
    model: values.model ?? null,
    ask: values.ask ?? false,
    json: values.json ?? false,
  }
}

const toHub = (values: Values): ToHub => ({
  hub: values.hub ?? null,
  tokenFile: values['token-file'] ?? null,
  plainHttp: values['plain-http'] ?? false,
})

type Values = ReturnType<typeof parse>['values']

function verbOf(verb: string, subject: string | undefined, values: Values): Verb {
  switch (verb) {
    case 'join':
      if (subject === undefined)
        throw usage('The address of the hub is missing: roundhouse-agent join <url> --fingerprint <hex>')
      if (values.fingerprint === undefined)
        throw usage(
          "The fingerprint of the hub's key is missing: --fingerprint <hex>. The hub shows it beside the token.",
        )
      return {
        verb,
        url: subject,
        fingerprint: values.fingerprint,
        tokenFile: values['token-file'] ?? null,
        name: values.name ?? null,
        plainHttp: values['plain-http'] ?? false,
        replace: values.replace ?? false,
      }
    case 'up':
      return {
        verb,
        ownSessions: values['own-sessions'] ?? false,
        idleMs: readMillis('idle-ms', values['idle-ms']) ?? DEFAULT_IDLE_MS,
        allowRoot: values['allow-root'] ?? false,
      }
    case 'allow':
      if (subject === undefined) throw usage('The folder is missing: roundhouse-agent allow <folder>')
      return { verb, folder: subject }
    case 'stop':
      if (!values.sessions)
        throw usage(
          'This command stops only sessions: roundhouse-agent stop --sessions. To stop the daemon, use its service manager or Ctrl-C.',
        )
      return { verb }
    case 'pause':
      return { verb, stop: values.stop ?? false }
    case 'tools':
      return { verb }
    case 'bridge':
      return {
        verb,
        backend: values.backend ?? 'claude',
        callbackMs: readMillis('callback-ms', values['callback-ms']),
      }
    case 'log':
      return { verb, follow: values.follow ?? false, json: values.json ?? false }
    case 'status':
    case 'doctor':
    case 'audit-heads':
    case 'rotate-key':
    case 'policy':
    case 'resume':
      return { verb }
    default:
      throw usage(`Unknown command "${verb}".`)
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true })
  } catch (cause) {
    throw new CodedError('INVALID_ARGUMENT', cause instanceof Error ? cause.message : undefined, undefined, cause)
  }
}

function readMillis(option: Option, text: string | undefined): number | null {
  if (text === undefined) return null
  const ms = Number(text)
  if (Number.isInteger(ms) && ms > 0) return ms
  throw usage(`--${option} must be a whole number of milliseconds.`)
}

function readOffset(text: string | undefined): number | null {
  if (text === undefined) return null
  const offset = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(offset)) return offset
  throw usage('--after must be the offset of a message.')
}

const usage = (message: string): CodedError => new CodedError('INVALID_ARGUMENT', message)
