/**
 * The query methods of the document, on any program: what its adapter answers itself, and what the contract says of every
 * adapter. A change holds for the programs that the session starts later as well.
 */
import {
  type BackendAdapter,
  type BackendConfiguration,
  type BackendProcess,
  CodedError,
  queryParams,
  RewindResult,
  type SlashCommand,
} from '@roundhouse/backend-types'

export interface Queried {
  adapter: BackendAdapter
  process: BackendProcess
  /** As the program told them last. */
  commands: readonly SlashCommand[]
}

/** What a query changes in the session. Undefined: back to the program's own choice. */
export interface SessionChange {
  model?: string | undefined
  mode?: string
  maxThinkingTokens?: number | undefined
}

export interface Query {
  method: string
  params: Record<string, unknown>
  change: SessionChange | null
}

/** Throws `INVALID_ARGUMENT` or `UNSUPPORTED`, before anything is asked. Pure. */
export function readQuery(method: string, [first]: readonly unknown[]): Query {
  const asked = (value: unknown, change: SessionChange | null) => ({
    method,
    params: queryParams(method, [value]),
    change,
  })
  switch (method) {
    case 'supportedModels':
    case 'supportedCommands':
    case 'mcpServerStatus':
    case 'accountInfo':
      return asked(undefined, null)
    case 'setModel': {
      const model = first === undefined || first === null ? undefined : text(method, first)
      return asked(model, { model })
    }
    case 'setPermissionMode': {
      const mode = text(method, first)
      return asked(mode, { mode })
    }
    case 'setMaxThinkingTokens':
      if (first === null) return asked(first, { maxThinkingTokens: undefined })
      if (typeof first !== 'number' || !Number.isInteger(first) || first < 0) throw invalid(method, 'a number or null')
      return asked(first, { maxThinkingTokens: first })
    case 'rewindFiles':
      return asked(text(method, first), null)
    default:
      throw new CodedError('UNSUPPORTED', `Unknown query method: ${method.slice(0, 100)}`, { method })
  }
}

/** The four that change something answer nothing, as the document has it. */
export async function answerQuery(query: Query, { adapter, process, commands }: Queried): Promise<unknown> {
  const { method, change } = query
  const params = change && 'model' in change ? { model: change.model ?? (await ownModel(adapter)) } : query.params
  try {
    const answer = await need(adapter)(process, method, params)
    if (method === 'rewindFiles') requireRewound(answer)
    return change !== null || method === 'rewindFiles' ? null : answer
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'UNSUPPORTED') throw error
    return await byContract({ ...query, params }, adapter, process, commands, error)
  }
}

/** Programs have no common name for it: `default` is Claude Code's, and another program would look for a model of that name. */
async function ownModel(adapter: BackendAdapter): Promise<string> {
  const { models, label } = await adapter.getManifest()
  const own = models.find((model) => model.default)
  if (own) return own.code
  const message = `${label} does not say which model is its own choice. Name a model, or create a new session.`
  throw new CodedError('UNSUPPORTED', message, { method: 'setModel' })
}

function requireRewound(answer: unknown): void {
  const { canRewind, error } = RewindResult.partial().catch({}).parse(answer)
  if (canRewind === false) throw new CodedError('BACKEND_ERROR', error ?? 'The files cannot be put back.')
}

function need(adapter: BackendAdapter) {
  if (adapter.query) return adapter.query.bind(adapter)
  throw new CodedError('UNSUPPORTED', `The backend ${adapter.type} answers no queries.`)
}

async function byContract(
  { method, params, change }: Query,
  adapter: BackendAdapter,
  process: BackendProcess,
  commands: readonly SlashCommand[],
  refusal: CodedError,
): Promise<unknown> {
  switch (method) {
    case 'supportedModels': {
      const { models } = await adapter.getManifest()
      return models.map(({ code, label, description = '' }) => ({ value: code, displayName: label, description }))
    }
    case 'supportedCommands':
      return commands.map(({ name, description, argumentHint = '' }) => ({ name, description, argumentHint }))
    case 'setModel':
      return configure(adapter, process, { model: text(method, params.model) })
    case 'setPermissionMode':
      return configure(adapter, process, change?.mode === undefined ? {} : { mode: change.mode })
    default:
      throw refusal
  }
}

/** What needs a restart is in force with the next program. */
async function configure(adapter: BackendAdapter, process: BackendProcess, change: BackendConfiguration) {
  if (!adapter.configure) throw new CodedError('UNSUPPORTED', `The backend ${adapter.type} cannot be changed.`)
  const untold = await adapter.configure(process, change)
  if (untold.length === 0) return null
  throw new CodedError('UNSUPPORTED', `${untold.join(', ')}: this program takes it only when it starts.`)
}

function text(method: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw invalid(method, 'a text')
}

const invalid = (method: string, what: string) =>
  new CodedError('INVALID_ARGUMENT', `${method}: its argument must be ${what}`, { method })
