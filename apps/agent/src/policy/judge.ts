/**
 * Decides whether this machine may do what the hub asks (POL-1, POL-2). Pure: takes the policy, the command and the real
 * paths of its names; returns null (yes) or the reason. A request above the policy is refused and never lowered silently.
 */
import {
  allowsUnasked,
  CodedError,
  type Command,
  type CommandBody,
  type CommandKind,
  isBackendKind,
  PROMPT_LIMIT_BYTES,
  type Sandbox,
  type SessionSettings,
  unreadablePattern,
} from '@roundhouse/backend-types'
import { isInside } from '../files/is-inside'
import { forbiddenFromHub } from './environment'
import { allowsBackend, type Policy } from './policy'
import type { RealPath, RealPaths } from './real-paths'

/** The rules about what a session is made with: all that a session host needs of the policy to judge its own. */
export type SessionRules = Pick<
  Policy,
  'roots' | 'maxSandbox' | 'allowBypassPermissions' | 'acceptHubRules' | 'trustProjectConfig' | 'hubEnvAllow'
> & {
  backends?: Readonly<Record<string, unknown>> | undefined
  programs?: Readonly<Record<string, unknown>> | undefined
  /** Real paths of what belongs to the agent itself (POL-4). */
  agentPlaces?: readonly string[] | undefined
  /** How a person calls the agent's program on this machine. */
  ownCommand?: string | undefined
  /** The person who reads a refusal sits at this machine. */
  isHere?: boolean | undefined
  /** For each backend whose version is outside the allowed range: the reason, in a sentence. */
  wrongVersions?: Readonly<Record<string, string>> | undefined
}

type Changes = Extract<CommandBody, { kind: 'session.configure' }>['changes']

/** The others only continue or end what was allowed when it began: they work even with an unreadable policy. */
export const judgedCommands: ReadonlySet<CommandKind> = new Set([
  'session.create',
  'session.configure',
  'prompt.send',
  'queue.edit',
  'program.tell',
  'files.rewind',
])

export function judgeCommand(policy: Policy & SessionRules, command: Command, realPaths: RealPaths): CodedError | null {
  return judgeBody(policy, command.body, realPaths)
}

function judgeBody(policy: Policy & SessionRules, body: CommandBody, realPaths: RealPaths): CodedError | null {
  switch (body.kind) {
    case 'session.create':
      return judgeSettings(policy, body.settings, realPaths) ?? judgePrompt(body.prompt?.text ?? '')
    case 'session.configure':
      return judgeChanges(policy, body.changes)
    case 'prompt.send':
      return judgePrompt(body.text) ?? judgeChoices(policy, body.override ?? {})
    case 'queue.edit':
      return judgePrompt(body.text)
    case 'program.tell':
      return judgePrompt(JSON.stringify(body.data))
    case 'files.rewind':
      return judgeSandbox(policy, 'workspace-write')
    // See `judgedCommands`; the host judges the effective action itself.
    case 'session.resume':
    case 'session.stop':
    case 'session.delete':
    case 'queue.remove':
    case 'queue.move':
    case 'queue.release':
    case 'turn.interrupt':
    case 'tool.answer':
    case 'task.stop':
    case 'permission.decide':
    case 'grant.revoke':
    case 'process.end':
    case 'event.blank':
      return null
  }
}

export function judgeChanges(policy: SessionRules, changes: Changes): CodedError | null {
  return judgeChoices(policy, changes) ?? (changes.sandbox ? judgeSandbox(policy, changes.sandbox) : null)
}

/** Also asked before a stored session is started again: the policy may have become narrower since. */
export function judgeSettings(
  policy: SessionRules,
  settings: SessionSettings,
  realPaths: RealPaths,
): CodedError | null {
  return (
    judgeBackend(policy, settings.backend) ??
    judgeFolders(policy, [settings.workDir, ...(settings.additionalDirs ?? [])], realPaths) ??
    judgeMcpConfig(policy, settings.mcpConfigPath, realPaths) ??
    judgeChoices(policy, settings) ??
    judgeSandbox(policy, settings.sandbox ?? 'workspace-write') ??
    judgeTools(policy, settings) ??
    judgeRules(policy, settings.permissionConfig) ??
    judgeEnvironment(policy, settings.env ?? {})
  )
}

function judgeBackend(policy: SessionRules, backend: string): CodedError | null {
  if (!isBackendKind(backend)) return invalid('backend', backend)
  if (!allowsBackend(policy, backend))
    return denied('backends', `${backend} is not in this machine's policy.`, 'backend')
  const { wrongVersions = {} } = policy
  const wrong = Object.hasOwn(wrongVersions, backend) ? wrongVersions[backend] : undefined
  return wrong === undefined ? null : new CodedError('BACKEND_VERSION', wrong, { backend, field: 'backend' })
}

function judgeFolders(policy: SessionRules, folders: string[], realPaths: RealPaths): CodedError | null {
  for (const [index, asked] of folders.entries()) {
    // A person who names several must learn which one it was.
    const which = index === 0 ? '' : `${asked}: `
    const field = index === 0 ? 'workDir' : 'additionalDirs'
    if (hasControl(asked)) return invalid(field, asked, 'folder')
    const found = realPaths[asked]
    if (found?.kind !== 'folder') return outside(asked, `${which}There is no such folder on this machine.`, field)
    if (isAgents(policy, found)) return agentsOwn(asked, field)
    if (!isAllowed(policy, found)) return outside(asked, `${which}${howToAllow(policy, found.real)}`, field)
  }
  return null
}

function judgeMcpConfig(policy: SessionRules, asked: string | undefined, realPaths: RealPaths): CodedError | null {
  if (asked === undefined) return null
  const field = 'mcpConfigPath'
  // Its servers start before anybody is asked, and a model may have written the file.
  if (!policy.trustProjectConfig)
    return denied('trustProjectConfig', 'A session may not bring its own MCP servers here.', field)
  if (hasControl(asked)) return invalid(field, asked)
  const found = realPaths[asked]
  if (found?.kind !== 'file') return outside(asked, 'There is no such file on this machine.', field)
  if (isAgents(policy, found)) return agentsOwn(asked, field)
  // One of its other names may lie in the agent's home.
  if (found.names > 1)
    return denied('agentHome', `${asked} has a second name on its disk. Name a file that has one.`, field)
  return isAllowed(policy, found)
    ? null
    : outside(asked, 'The file lies outside the folders this machine allows.', field)
}

const isAllowed = (policy: SessionRules, found: Extract<RealPath, { real: string }>): boolean =>
  policy.roots.some((root) => isInside(found.real, root))

const isAgents = (policy: SessionRules, found: Extract<RealPath, { real: string }>): boolean =>
  (policy.agentPlaces ?? []).some((place) => isInside(found.real, place))

const agentsOwn = (asked: string, field: Field): CodedError =>
  denied('agentHome', `${asked} belongs to the agent itself. No session may use it.`, field)

function howToAllow(policy: SessionRules, real: string): string {
  const known = policy.roots.length === 0 ? 'It allows no folder yet' : `It allows ${policy.roots.join(', ')}`
  const how = policy.isHere ? 'To allow it, run' : 'On that machine run'
  return `The folder is outside the folders this machine allows. ${known}. ${how}: ${policy.ownCommand ?? 'roundhouse-agent'} allow ${quoteForShell(real)}`
}

export const quoteForShell = (text: string): string =>
  /^[A-Za-z0-9_./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

const sandboxOrder: Readonly<Record<Sandbox, number>> = { 'read-only': 0, 'workspace-write': 1, 'full-access': 2 }

function judgeSandbox(policy: SessionRules, asked: Sandbox): CodedError | null {
  if (sandboxOrder[asked] <= sandboxOrder[policy.maxSandbox]) return null
  return denied('maxSandbox', `${asked} is more than this machine allows (${policy.maxSandbox}).`, 'sandbox')
}

/** Codes that programs know as flags or settings: plain words only, so that none can be read as a flag or by a shell. */
const CODE = /^[A-Za-z0-9][A-Za-z0-9._:/@+[\]-]*$/

function judgeChoices(
  policy: SessionRules,
  choices: {
    model?: string | undefined
    mode?: string | undefined
    thinking?: string | undefined
    roleId?: string | undefined
  },
): CodedError | null {
  for (const field of ['model', 'mode', 'thinking', 'roleId'] as const) {
    const value = choices[field]
    if (value !== undefined && !CODE.test(value)) return invalid(field, value)
  }
  if (choices.mode !== undefined && neverAsks(choices.mode) && !policy.allowBypassPermissions) {
    return denied(
      'allowBypassPermissions',
      `In the mode "${choices.mode}", tools run without asking, and this machine does not allow that.`,
      'mode',
    )
  }
  return null
}

/** Modes of any backend in which tool calls run unasked, or a model decides, however they are spelled. */
function neverAsks(mode: string): boolean {
  const letters = mode.toLowerCase().replace(/[^a-z]/g, '')
  return /bypass|yolo|dangerous|fullauto|fullaccess|skippermission|neverask|autoapprove|^auto(mode|edit)?$|^never$/.test(
    letters,
  )
}

function judgeTools(policy: SessionRules, settings: SessionSettings): CodedError | null {
  for (const field of ['allowedTools', 'disallowedTools'] as const) {
    const odd = settings[field]?.find((tool) => hasControl(tool) || tool.startsWith('-') || /[`;]|\$\(/.test(tool))
    if (odd !== undefined) return invalid(field, odd, 'tool')
  }
  if ((settings.allowedTools?.length ?? 0) === 0 || policy.acceptHubRules) return null
  return denied(
    'acceptHubRules',
    'The session names tools that run without asking, and this machine does not allow that.',
    'allowedTools',
  )
}

/** PERM-12. */
function judgeRules(policy: SessionRules, rules: SessionSettings['permissionConfig'] = {}): CodedError | null {
  const unreadable = unreadablePattern(rules)
  if (unreadable !== undefined) return invalid('permissionConfig', unreadable)
  if (!allowsUnasked(rules) || policy.acceptHubRules) return null
  return denied(
    'acceptHubRules',
    'The session has rules by which tools run without asking, and this machine does not allow that.',
    rules.defaultDecision === 'allow' ? 'permissionConfig.defaultDecision' : 'permissionConfig.allowPatterns',
  )
}

function judgeEnvironment(policy: SessionRules, env: Record<string, string>): CodedError | null {
  const forbidden = forbiddenFromHub(Object.keys(env), policy.hubEnvAllow)
  if (forbidden.length > 0)
    return denied('hubEnvAllow', `A hub may not set ${forbidden.join(', ')} on this machine.`, 'env')
  const odd = Object.entries(env).find(([, value]) => value.includes('\0') || value.length > 4_096)
  return odd ? invalid('env', odd[0]) : null
}

function judgePrompt(text: string): CodedError | null {
  return Buffer.byteLength(text) > PROMPT_LIMIT_BYTES ? new CodedError('PROMPT_TOO_LARGE') : null
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const hasControl = (text: string): boolean => /[\u0000-\u001f\u007f]/.test(text)

/** The setting that was refused: a page shows the refusal there. */
type Field = keyof SessionSettings | `permissionConfig.${keyof NonNullable<SessionSettings['permissionConfig']>}`

function invalid(field: Field, value: string, name: string = field): CodedError {
  return new CodedError('INVALID_ARGUMENT', `This is not a valid ${name}: ${JSON.stringify(value.slice(0, 80))}`, {
    field,
  })
}

const denied = (rule: string, message: string, field: Field): CodedError =>
  new CodedError('POLICY_DENIED', message, { rule, field })

const outside = (path: string, message: string, field: Field): CodedError =>
  new CodedError('PATH_NOT_ALLOWED', message, { path, field })
