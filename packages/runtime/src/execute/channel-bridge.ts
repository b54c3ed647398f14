/** Carries one message of a channel through a run: tells the channel while the program answers, and gives back what to deliver. */
import {
  type AgentDeliveryResult,
  type AgentExecuteParams,
  type BridgeCallbacks,
  type ChannelMessage,
  CodedError,
  type McpSideEffects,
  type ReplyPayload,
} from '@roundhouse/backend-types'
import { deliveryOf, sideEffectsOf } from '../run'
import type { RunNews } from './run-news'

export interface ChannelPorts {
  runtime: { follow(params: AgentExecuteParams): AsyncIterable<RunNews> }
  /** What the program sent through the tools of its session, asked once, after the run. Absent: it has no such tools. */
  sideEffects?(): McpSideEffects
  /** A callback of the channel failed. The run goes on. */
  callbackFailed?(error: unknown): void
}

export class ChannelBridge {
  constructor(private readonly ports: ChannelPorts) {}

  /** A callback that takes its time makes the program wait. */
  async handle(
    { text: prompt }: Pick<ChannelMessage, 'text'>,
    callbacks: BridgeCallbacks = {},
    params: Omit<AgentExecuteParams, 'prompt'> = {},
  ): Promise<AgentDeliveryResult> {
    const { runtime, sideEffects } = this.ports
    let error: string | undefined
    let result: AgentDeliveryResult['run'] | undefined
    for await (const news of runtime.follow({ ...params, prompt })) {
      await this.tell(news, callbacks)
      if (news.kind !== 'event') continue
      if (news.event.type === 'error') error = news.event.message
      if (news.event.type === 'done') result = news.event.result
    }
    if (!result) throw new CodedError('INTERNAL', 'A run ended without its result.')
    return deliveryOf(result, sideEffects?.() ?? sideEffectsOf([]), error)
  }

  private async tell(news: RunNews, { onPartialReply, onBlockReply, onToolResult }: BridgeCallbacks): Promise<void> {
    const told = toldBy(news)
    if (!told) return
    const callback = { piece: onPartialReply, block: onBlockReply, result: onToolResult }[told.as]
    try {
      await callback?.(told.payload)
    } catch (error) {
      this.ports.callbackFailed?.(error)
    }
  }
}

function toldBy(news: RunNews): { as: 'piece' | 'block' | 'result'; payload: ReplyPayload } | null {
  if (news.kind === 'piece') return { as: 'piece', payload: { text: news.text } }
  if (news.kind !== 'event') return null
  const { event } = news
  if (event.type === 'text') return { as: 'block', payload: { text: event.text } }
  if (event.type !== 'tool_result') return null
  return { as: 'result', payload: { text: event.output, ...(event.isError ? { isError: true } : {}) } }
}
