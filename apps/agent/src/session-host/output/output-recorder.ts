/** Turns the output of a running backend into events and live text (LOG-5, LOG-8). */
import type { BackendOutput, LiveDelta, SessionEvent, SessionStartedInfo } from '@roundhouse/backend-types'
import type { LogChange } from '../../log/statements'
import type { Redactor } from '../../redact/redactor'
import type { Journal } from '../journal/journal'
import { idOf, progressBlock } from '../program/fit-reports'
import type { RunningBackend } from '../program/program-runner'
import { withShownTool } from '../program/shown-tool'
import type { ConversationKeeper } from '../settings/conversation-keeper'
import { conversationStarted } from '../settings/identity-plan'
import { withPrinted } from './background-tasks'
import type { LiveBlocks } from './live-blocks'
import type { RawRing } from './raw-ring'
import type { TaskOutputs } from './task-outputs'

export interface RecorderPorts {
  journal: Journal
  conversation: ConversationKeeper
  live: LiveBlocks
  outputs: TaskOutputs
  ring: RawRing
  redact: Redactor
  turnId(): string | undefined
}

export class OutputRecorder {
  constructor(private readonly ports: RecorderPorts) {}

  /** Called at each spawn, and when a program continues under another id. The next spawn resumes that id. */
  started(running: RunningBackend, info: SessionStartedInfo): void {
    const { backendSessionId, provisional, resumed = running.resumed } = info
    void this.record(
      {
        kind: 'session_started',
        ...this.place(running),
        backendSessionId: idOf(backendSessionId),
        resumed,
        ...(provisional ? { provisional } : {}),
      },
      this.ports.conversation.goOnWith(conversationStarted(backendSessionId, provisional === true)),
    )
  }

  output(running: RunningBackend, output: BackendOutput): void {
    const place = this.place(running)
    switch (output.kind) {
      case 'raw':
        this.ports.ring.add(this.ports.redact(JSON.stringify(output.payload) ?? '').text)
        return
      case 'tool_progress': {
        const { callId, text, parentCallId } = output
        if (this.ports.outputs.heard(callId, text)) return
        const header = { blockId: progressBlock(callId), kind: 'tool_progress', callId, parentCallId } as const
        this.ports.live.add({ ...header, ...place, afterSeq: this.ports.journal.log.lastSeq }, text)
        return
      }
      case 'assistant_text':
      case 'thinking': {
        const finished = output.blockId === undefined ? () => {} : this.ports.live.finish(output.blockId)
        this.record({ ...output, ...place }).then(finished, () => {})
        return
      }
      case 'tool_result': {
        const finished = this.ports.live.finish(progressBlock(output.callId))
        this.record({ ...output, ...place }).then(finished, () => {})
        return
      }
      case 'system':
        void this.record({ ...withPrinted(output, (callId) => this.ports.outputs.printed(callId)), ...place })
        return
      case 'tool_use':
        void this.record({ ...withShownTool(output, running.adapter), ...place })
        return
      case 'plan':
        void this.record({ ...output, ...place })
        return
    }
  }

  live(running: RunningBackend, delta: LiveDelta): void {
    const { blockId, kind, text, parentCallId, discarded } = delta
    if (discarded) {
      this.ports.live.discard(blockId)
      return
    }
    const header = { blockId, kind, parentCallId, ...this.place(running) }
    this.ports.live.add({ ...header, afterSeq: this.ports.journal.log.lastSeq }, text)
  }

  note(subtype: 'unreadable_output' | 'backend_error', error: unknown): void {
    const message = error instanceof Error ? error.message.slice(0, 2_000) : String(error).slice(0, 2_000)
    void this.record({ kind: 'system', subtype, data: { message } })
  }

  private record(event: SessionEvent, change?: LogChange): Promise<number> {
    return this.ports.journal.record([event], change)
  }

  private place(running: RunningBackend): { procId: string; turnId?: string } {
    const turnId = this.ports.turnId()
    return { procId: running.procId, ...(turnId === undefined ? {} : { turnId }) }
  }
}
