/**
 * The published face of an adapter, from a driver: what the contract asks of one process goes to that process, what a
 * process reports comes from its relay, and everything else is the driver's own.
 */
import {
  type BackendAdapter,
  type BackendConfiguration,
  type BackendProcess,
  CodedError,
  type SpawnOptions,
  type ThinkingTokens,
} from '@roundhouse/backend-types'
import { listeners } from '../report/listeners'
import type { Relay } from '../report/relay'

type OfProcess<K extends keyof BackendAdapter> = Required<BackendAdapter>[K] extends (
  process: BackendProcess,
  ...rest: infer A
) => infer R
  ? (...rest: A) => R
  : never

/** A running process. What it cannot do is left out, and answered as the host answers for an adapter without that member. */
export interface DrivenProcess extends BackendProcess {
  readonly relay: Relay
  /** The relay is open by now. */
  send: OfProcess<'send'>
  decide?: OfProcess<'respondToPermission'>
  interrupt?: OfProcess<'interrupt'>
  steer?: OfProcess<'steer'>
  configure?: OfProcess<'configure'>
  stopTask?: OfProcess<'stopTask'>
  pauseOutput?: OfProcess<'pauseOutput'>
  query?: OfProcess<'query'>
}

/** A program that can be started, and what is known of it without a process. */
export interface Driver
  extends Pick<
    BackendAdapter,
    | 'type'
    | 'capabilities'
    | 'accepted'
    | 'getManifest'
    | 'listSessions'
    | 'readSession'
    | 'transcriptFile'
    | 'isOnlyWriter'
    | 'isDirect'
    | 'mintSessionId'
    | 'refusePrompt'
    | 'describeTool'
    | 'inputShapes'
  > {
  /** It reads `SpawnOptions.providerConfig`. For any other program that has nothing to say. */
  readsProviderConfig?: boolean
  /** Resolves when the conversation is there. When it rejects, nothing of the process is left. */
  start(options: SpawnOptions): Promise<DrivenProcess>
}

export function defineAdapter({ start, readsProviderConfig = false, ...driver }: Driver): BackendAdapter {
  const started = new WeakMap<BackendProcess, DrivenProcess>()
  const own = (process: BackendProcess): DrivenProcess => {
    const driven = started.get(process)
    if (driven) return driven
    throw new CodedError('INTERNAL', 'That process belongs to another adapter.')
  }
  /** Throws where the process cannot do it. */
  const need = <K extends 'decide' | 'interrupt' | 'stopTask' | 'query'>(process: BackendProcess, what: K) => {
    const driven = own(process)
    const member = driven[what]
    if (!member) throw new CodedError('UNSUPPORTED', `The backend ${driver.type} has no "${what}".`)
    return member.bind(driven) as Required<DrivenProcess>[K]
  }

  const answers = (method: string) => driver.capabilities.queries?.includes(method) === true
  const requireTokens = (tokens: ThinkingTokens | undefined) => {
    if (tokens == null || answers('setMaxThinkingTokens')) return
    const message = `The backend ${driver.type} has no limit of its thinking in tokens.`
    throw new CodedError('UNSUPPORTED', message, { method: 'setMaxThinkingTokens' })
  }

  return {
    ...driver,
    async spawn(options) {
      requireTokens(options.maxThinkingTokens)
      const [unread] = readsProviderConfig ? [] : Object.keys(options.providerConfig ?? {})
      if (unread !== undefined) {
        throw new CodedError('UNSUPPORTED', `The backend ${driver.type} has no option "${unread}".`, { option: unread })
      }
      const process = await start(options)
      started.set(process, process)
      return process
    },
    stop: (process) => process.kill(),
    ...listeners((process) => own(process).relay),
    send(process, input, images, messageId) {
      const driven = own(process)
      driven.relay.open()
      driven.send(input, images, messageId)
    },
    respondToPermission: async (process, decision) => need(process, 'decide')(decision),
    interrupt: async (process) => need(process, 'interrupt')(),
    ...(driver.capabilities.supportsMessageInjection && {
      steer: async (process, input, images, begins) => (await own(process).steer?.(input, images, begins)) ?? false,
    }),
    configure: async (process, change) => {
      requireTokens(change.maxThinkingTokens)
      return (await own(process).configure?.(change)) ?? (Object.keys(change) as Array<keyof BackendConfiguration>)
    },
    stopTask: async (process, taskId) => need(process, 'stopTask')(taskId),
    pauseOutput: (process, paused) => own(process).pauseOutput?.(paused),
    query: async (process, method, params) => {
      if (answers(method)) return need(process, 'query')(method, params)
      throw new CodedError('UNSUPPORTED', `The backend ${driver.type} answers no query "${method}".`, { method })
    },
  }
}
