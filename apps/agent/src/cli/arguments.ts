/** What the command line asks for, as data. Pure: nothing is read or started here. */
import { parseArgs } from 'node:util'
import { CodedError } from '@roundhouse/backend-types'

export type Verb =
  | { verb: 'help' }
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
  | { verb: 'log'; follow: boolean; json: boolean }

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
  log: ['follow', 'json'],
}

export function readArguments(argv: readonly string[]): Verb {
  const { values, positionals } = parse(argv)
  if (values.help) return { verb: 'help' }
  if (values.version) return { verb: 'version' }
  const [verb, subject, ...rest] = positionals
  if (verb === undefined) return { verb: 'help' }
  const allowed = taken[verb]
  if (!allowed) throw usage(`There is no command "${verb}". See: roundhouse-agent --help`)
  const foreign = (Object.keys(values) as Option[]).find((option) => !allowed.includes(option))
  if (foreign) throw usage(`"${verb}" takes no --${foreign}.`)
  const extra = verb === 'join' || verb === 'allow' ? rest[0] : subject
  if (extra !== undefined) {
    throw usage(
      verb === 'join'
        ? 'A token is never given as an argument: other programs can read it there. Pipe it in, or use --token-file.'
        : `"${verb}" does not know what to do with "${extra}".`,
    )
  }
  return verbOf(verb, subject, values)
}

type Values = ReturnType<typeof parse>['values']

function verbOf(verb: string, subject: string | undefined, values: Values): Verb {
  switch (verb) {
    case 'join':
      if (subject === undefined) throw usage('Join which hub? roundhouse-agent join <url> --fingerprint <hex>')
      if (values.fingerprint === undefined)
        throw usage("The hub's key has to be named: --fingerprint <hex>. The hub shows it beside the token.")
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
        idleMs: readMillis(values['idle-ms']),
        allowRoot: values['allow-root'] ?? false,
      }
    case 'allow':
      if (subject === undefined) throw usage('Allow which folder? roundhouse-agent allow <folder>')
      return { verb, folder: subject }
    case 'stop':
      if (!values.sessions)
        throw usage(
          'Only sessions can be stopped from here: roundhouse-agent stop --sessions. The daemon itself ends by its service manager or Ctrl-C.',
        )
      return { verb }
    case 'pause':
      return { verb, stop: values.stop ?? false }
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
      throw usage(`There is no command "${verb}".`)
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true })
  } catch (cause) {
    throw new CodedError('INVALID_ARGUMENT', cause instanceof Error ? cause.message : undefined, undefined, cause)
  }
}

function readMillis(text: string | undefined): number {
  if (text === undefined) return DEFAULT_IDLE_MS
  const ms = Number(text)
  if (Number.isInteger(ms) && ms > 0) return ms
  throw usage('--idle-ms takes a whole number of milliseconds.')
}

const usage = (message: string): CodedError => new CodedError('INVALID_ARGUMENT', message)

export const helpText = `roundhouse-agent: lets a Roundhouse hub run coding agents on this machine

  join <url> --fingerprint <hex> [--token-file <file>] [--name <name>]
      Joins a hub. The token is read from the file, from a pipe, or asked for; never from the command line.
      --plain-http allows an address without encryption, --replace leaves the hub joined before,
      or joins it again when it was set up anew and has another key. Stop a running agent first.
  allow <folder>
      Lets sessions run in that folder and below. Nothing is allowed until you say so.
  up [--own-sessions] [--idle-ms <n>] [--allow-root]
      Runs the agent in the foreground. Ctrl-C ends its sessions; SIGTERM leaves them for the next start,
      unless --own-sessions.
  status
      What runs, and which hub it belongs to.
  doctor
      Checks this machine and says what is missing.
  audit-heads
      The newest rows of the hub's audit log that this machine has signed, for: npm run audit:check -- --heads FILE
  rotate-key
      Gives this machine another key, signed by the one it has. It stays the same machine, and may do no more.
  policy
      What this machine allows, in plain words, and whether its policy file is sound. docs/policy.md has every key.
  pause [--stop]
      From now on nothing is taken from the hub, also after a restart. Turns that run go on, unless --stop.
  resume
      The hub may ask again.
  log [--follow] [--json]
      What the hub asked for, who, and what became of it; also with the hub or the agent down.
  stop --sessions
      Ends every session of this machine, whether or not the agent runs.

  Everything is kept in ~/.roundhouse-agent, or in the folder that ROUNDHOUSE_AGENT_HOME names.
`
