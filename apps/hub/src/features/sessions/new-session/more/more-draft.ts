/**
 * The settings of a new session that stand under "More": what the person has written, which of it the program takes, and which
 * settings it becomes. Pure.
 */
import {
  type BackendManifestEntry,
  type CodedError,
  type PermissionConfig,
  readToolPattern,
  roleName,
  type SessionSettings,
  unsupportedField,
} from '@roundhouse/backend-types'

/** As in the controls; lists have one entry in each line. */
export interface MoreDraft {
  roleId: string
  useBrainCore: boolean
  systemPrompt: string
  additionalDirs: string
  maxOutputTokens: string
  allowedTools: string
  disallowedTools: string
  allowPatterns: string
  disallowPatterns: string
  defaultDecision: '' | NonNullable<PermissionConfig['defaultDecision']>
}
export type MoreField = keyof MoreDraft
export type MoreErrors = Partial<Record<MoreField, string>>

/** Of a list of tools or patterns. */
const LONGEST_LINE = 200
const MOST_LINES = 200

/** In the order of the form. */
const settingOf = {
  roleId: 'roleId',
  useBrainCore: 'useBrainCore',
  systemPrompt: 'systemPrompt',
  additionalDirs: 'additionalDirs',
  maxOutputTokens: 'maxOutputTokens',
  allowedTools: 'allowedTools',
  disallowedTools: 'disallowedTools',
  allowPatterns: 'permissionConfig',
  disallowPatterns: 'permissionConfig',
  defaultDecision: 'permissionConfig',
} as const satisfies Record<MoreField, keyof SessionSettings>
const fields = Object.keys(settingOf) as MoreField[]

export const moreLabels: Readonly<Record<MoreField, string>> = {
  roleId: 'Role',
  useBrainCore: 'Use the notes of this role',
  systemPrompt: 'System prompt',
  additionalDirs: 'Further folders',
  maxOutputTokens: 'Answer limit',
  allowedTools: 'Allowed tools',
  disallowedTools: 'Denied tools',
  allowPatterns: 'Allow without asking',
  disallowPatterns: 'Deny without asking',
  defaultDecision: 'Everything else',
}

/** `settings`: of a session like which the new one shall be. */
export function moreDraft(settings: Partial<SessionSettings> = {}): MoreDraft {
  const { permissionConfig: rules = {} } = settings
  const lines = (list: readonly string[] | undefined) => (list ?? []).join('\n')
  return {
    roleId: settings.roleId ?? '',
    useBrainCore: settings.useBrainCore ?? true,
    systemPrompt: settings.systemPrompt ?? '',
    additionalDirs: lines(settings.additionalDirs),
    maxOutputTokens: settings.maxOutputTokens?.toString() ?? '',
    allowedTools: lines(settings.allowedTools),
    disallowedTools: lines(settings.disallowedTools),
    allowPatterns: lines(rules.allowPatterns),
    disallowPatterns: lines(rules.disallowPatterns),
    defaultDecision: rules.defaultDecision ?? '',
  }
}

type Program = Pick<BackendManifestEntry, 'label' | 'capabilities' | 'accepted'>

/** Why the program does not take this field; null where it does (CAP-5). */
export const notOffered = (program: Program, field: MoreField): string | null =>
  unsupportedField(program, settingOf[field])

/** The names of what is set, for the folded section. */
export function setFields(draft: MoreDraft, program: Program): string[] {
  const isSet = (field: MoreField) =>
    field !== 'useBrainCore' && String(draft[field]).trim() !== '' && notOffered(program, field) === null
  return fields.filter(isSet).map((field) => moreLabels[field])
}

/** What the hub would refuse anyway, said while the person writes. */
export function moreErrors(draft: MoreDraft, program: Program): MoreErrors {
  const errors: MoreErrors = {}
  const { roleId, maxOutputTokens } = draft
  if (roleId.trim() !== '' && !roleName.test(roleId.trim()))
    errors.roleId = 'A role is a name of letters, digits, - and _, with at most 64 characters.'
  if (maxOutputTokens.trim() !== '' && !/^[1-9]\d{0,8}$/.test(maxOutputTokens.trim()))
    errors.maxOutputTokens = 'The limit is a whole number of tokens.'
  for (const field of ['allowPatterns', 'disallowPatterns'] as const) {
    const odd = linesOf(draft[field]).find((pattern) => readToolPattern(pattern) === null)
    if (odd !== undefined) errors[field] = `“${odd}” is no pattern. Write a tool, or commands as in Bash(pnpm:*).`
  }
  for (const field of ['allowedTools', 'disallowedTools', 'allowPatterns', 'disallowPatterns'] as const) {
    const lines = linesOf(draft[field])
    if (lines.some((line) => line.length > LONGEST_LINE))
      errors[field] = `A line has at most ${LONGEST_LINE} characters.`
    if (lines.length > MOST_LINES) errors[field] = `There are at most ${MOST_LINES} lines.`
  }
  for (const field of fields) if (notOffered(program, field) !== null) delete errors[field]
  return errors
}

/** Without what the program does not take. */
export function moreSettings(draft: MoreDraft, program: Program): Partial<SessionSettings> {
  const taken = (field: MoreField): string => (notOffered(program, field) === null ? String(draft[field]).trim() : '')
  const list = (field: MoreField) => {
    const lines = linesOf(taken(field))
    return lines.length > 0 ? lines : undefined
  }
  const text = (field: MoreField) => taken(field) || undefined
  const roleId = text('roleId')
  const limit = text('maxOutputTokens')
  const rules = defined({
    allowPatterns: list('allowPatterns'),
    disallowPatterns: list('disallowPatterns'),
    defaultDecision: text('defaultDecision') as PermissionConfig['defaultDecision'],
  })
  return defined({
    roleId,
    useBrainCore: roleId === undefined ? undefined : draft.useBrainCore,
    systemPrompt: text('systemPrompt'),
    additionalDirs: list('additionalDirs'),
    maxOutputTokens: limit === undefined ? undefined : Number(limit),
    allowedTools: list('allowedTools'),
    disallowedTools: list('disallowedTools'),
    permissionConfig: Object.keys(rules).length > 0 ? rules : undefined,
  })
}

/** The field that a refusal of the hub or of the machine is about, if it stands under "More". */
export function refusedField({ details = {} }: Pick<CodedError, 'details'>): MoreField | undefined {
  const { field, path } = details
  const said = typeof field === 'string' ? field : typeof path === 'string' ? path.replace(/^settings\./, '') : ''
  const parts = said.split('.')
  return fields.find((one) => parts.includes(one)) ?? fields.find((one) => settingOf[one] === parts[0])
}

/** What the hub said, without the way to the field, at which it is shown. */
export const sentenceAt = ({ message, details = {} }: Pick<CodedError, 'message' | 'details'>): string => {
  const way = `${String(details.path ?? '')}: `
  const said = message.startsWith(way) ? message.slice(way.length) : message
  return `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.?$/, '.')}`
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function defined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
