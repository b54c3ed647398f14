/**
 * Fits an adapter's reports into our events and accounts, whatever a program or its model said: ids are short, numbers
 * are numbers, and texts that are not large values of an event are cut. Large values are cut with the event (LOG-6).
 * Pure and deterministic, so that a transcript that is read later compares equal to the log.
 */
import {
  type BackendConfiguration,
  type BackendOutput,
  type DeniedCall,
  LATEST_MILLIS,
  type LiveDelta,
  type PermissionRequest,
  PlanItem,
  type ReportedTask,
  SessionSettings,
  type TokenBudgetWarning,
  type TurnCompleteInfo,
  TurnEnd,
} from '@roundhouse/backend-types'
import { shortened, shortId } from '../../log/shortened'

const LONGEST_NAME = 1_000
const LONGEST_TO_MODEL = 16_000
const LONGEST_MESSAGE = 4_000
const LONGEST_CODE = 100
const LONGEST_ITEM = 1_000
const MOST_ITEMS = 100
const MOST_DENIALS = 100
/** No turn has this many tokens, milliseconds or dollars, and sums stay numbers. */
const HIGHEST = 1e15

/** The live block for the output of a running call. */
export const progressBlock = (callId: string): string => idOf(`progress:${callId}`)

export function fitOutput(output: BackendOutput): BackendOutput {
  switch (output.kind) {
    case 'assistant_text':
    case 'thinking': {
      const { blockId } = output
      const block = blockId === undefined ? {} : { blockId: idOf(blockId) }
      return { ...output, text: words(output.text), ...block, ...parent(output) }
    }
    case 'tool_use': {
      const toolName = shortened(words(output.toolName), LONGEST_NAME)
      return { ...output, callId: idOf(output.callId), toolName, ...parent(output) }
    }
    case 'tool_result': {
      const { toModel } = output
      const told = toModel === undefined ? {} : { toModel: shortened(words(toModel), LONGEST_TO_MODEL) }
      return { ...output, callId: idOf(output.callId), ...told, ...parent(output) }
    }
    case 'tool_progress':
      return { ...output, callId: idOf(output.callId), text: words(output.text), ...parent(output) }
    case 'plan':
      return { ...output, items: fitItems(output.items), ...parent(output) }
    case 'system':
      return { ...output, subtype: shortened(words(output.subtype), LONGEST_NAME) }
    case 'raw':
      return output
  }
}

/** The caller keeps the program's own id to send it back. An invalid number is shown, and sent back, as nothing. */
export function fitRequest<R extends PermissionRequest>(request: R): R {
  const { toolName, input, meta } = request
  const { cwd, reason, ...rest } = meta ?? {}
  return {
    ...request,
    toolName: words(toolName),
    input: isAllFinite(input) ? input : JSON.parse(JSON.stringify(input)),
    meta: {
      ...rest,
      ...(typeof cwd === 'string' ? { cwd } : {}),
      ...(reason === undefined ? {} : { reason: words(reason) }),
    },
  }
}

function isAllFinite(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isAllFinite)
}

export function fitLive(delta: LiveDelta): LiveDelta {
  return { ...delta, blockId: idOf(delta.blockId), ...parent(delta) }
}

/** The caller keeps the program's own id to send it back. */
export function fitTask(task: ReportedTask): ReportedTask {
  const { callId, label } = task
  return {
    ...task,
    taskId: idOf(task.taskId),
    label: words(label),
    ...(callId === undefined ? {} : { callId: idOf(callId) }),
  }
}

export function fitTurnEnd(info: TurnCompleteInfo): TurnCompleteInfo {
  const { reason, error, usage, contextUsage, cost, duration, numTurns, stopReason, apiDuration, denials, ...rest } =
    info
  return {
    ...rest,
    ...(reason === undefined ? {} : { reason: fitReason(reason) }),
    ...defined({ cost: figure(cost), duration: figure(duration), apiDuration: figure(apiDuration) }),
    ...defined({ numTurns: wholeNumber(numTurns) }),
    ...(stopReason ? { stopReason: shortened(words(stopReason), LONGEST_CODE) } : {}),
    ...(denials ? { denials: fitDenials(denials) } : {}),
    ...fitContext(contextUsage),
    ...(usage
      ? {
          usage: defined({
            inputTokens: figure(usage.inputTokens),
            outputTokens: figure(usage.outputTokens),
            cachedTokens: figure(usage.cachedTokens),
            cacheWriteTokens: figure(usage.cacheWriteTokens),
          }),
        }
      : {}),
    ...(error ? { error: fitError(error) } : {}),
  }
}

/** Null if its figures are invalid. */
export function fitBudget(warning: TokenBudgetWarning): TokenBudgetWarning | null {
  return Object.values(warning).every((value) => Number.isFinite(value) && Math.abs(value) <= HIGHEST) ? warning : null
}

const Change = SessionSettings.pick({ model: true, mode: true, sandbox: true, thinking: true }).partial()

/** Throws if no session can have these settings: the next program could not start with them. */
export function requireChange<C extends BackendConfiguration>(change: C): C {
  Change.parse(change)
  return change
}

/** A negative or invalid figure counts as unknown. */
function figure(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.min(value, HIGHEST) : undefined
}

const wholeNumber = (value: unknown): number | undefined => (Number.isInteger(value) ? figure(value) : undefined)

function fitDenials(denials: readonly DeniedCall[]): DeniedCall[] {
  const known = (Array.isArray(denials) ? denials : []).filter((call) => typeof call?.toolName === 'string')
  return known.slice(0, MOST_DENIALS).map(({ toolName, callId, reason }) => ({
    toolName: shortened(toolName, LONGEST_NAME),
    ...(callId === undefined ? {} : { callId: idOf(callId) }),
    ...(reason === undefined ? {} : { reason: shortened(words(reason), LONGEST_NAME) }),
  }))
}

function fitContext(context: TurnCompleteInfo['contextUsage']): Pick<TurnCompleteInfo, 'contextUsage'> {
  const [used, total] = [figure(context?.used), figure(context?.total)]
  return used === undefined || total === undefined ? {} : { contextUsage: { used, total } }
}

function fitReason(reason: unknown): NonNullable<TurnCompleteInfo['reason']> {
  const known = TurnEnd.exclude(['process_exited', 'outcome_unknown']).safeParse(reason)
  return known.success ? known.data : 'failed'
}

function fitError({ code, message, resetsAt }: NonNullable<TurnCompleteInfo['error']>) {
  const isTime = Number.isSafeInteger(resetsAt) && (resetsAt ?? -1) >= 0 && (resetsAt ?? 0) <= LATEST_MILLIS
  return {
    code: shortened(words(code), LONGEST_CODE),
    message: shortened(words(message), LONGEST_MESSAGE),
    ...(isTime && resetsAt !== undefined ? { resetsAt } : {}),
  }
}

function fitItems(items: readonly PlanItem[]): PlanItem[] {
  const known = (Array.isArray(items) ? items : []).filter((item) => PlanItem.safeParse(item).success)
  const kept = known.slice(0, MOST_ITEMS).map(({ text, status }) => ({ text: shortened(text, LONGEST_ITEM), status }))
  const more = known.length - kept.length
  return more === 0 ? kept : [...kept, { text: `… and ${more.toLocaleString('en-US')} more`, status: 'pending' }]
}

const parent = ({ parentCallId }: { parentCallId?: string | undefined }) =>
  parentCallId === undefined ? {} : { parentCallId: idOf(parentCallId) }

export const idOf = (id: unknown): string => shortId(words(id))

/** A word in an unchecked frame may be no string. */
const words = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

function defined<T extends Record<string, number | undefined>>(figures: T): { [K in keyof T]?: number } {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: number
  }
}
