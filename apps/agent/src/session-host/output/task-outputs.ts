/**
 * Shows the end of what background commands print as live text, at most twice a second (LOG-5). The log gets the final
 * output when the command ends. The text comes from the program itself or from a file that the program names. No timer
 * runs while no command does.
 */
import type { ReportedTask } from '@roundhouse/backend-types'
import type { SpoolHeader } from '../journal/spool'
import { KEPT, OutputTail } from './output-tail'
import { OutputFileReader } from './task-output-file'

const LOOK_EVERY_MS = 500

export interface TaskOutputsPorts {
  /** Receives the live text, and discards it. */
  live: { add(header: SpoolHeader, text: string): void; discard(blockId: string): void }
  lastSeq(): number
  /** The calls of the commands that run in the background now. */
  running(): ReadonlySet<string>
  /** Folders that must not be read. */
  denied(): readonly string[]
}

/** The end of an output, as the event of its end records it. */
export interface Printed {
  output?: string
  outputCut?: boolean
}

export function endOfText(text: string): Printed {
  const tail = new OutputTail()
  tail.push(text)
  return endOf(tail)
}

function endOf(tail: OutputTail): Printed {
  const { text, isWhole } = tail.end()
  return text === '' && isWhole ? {} : { output: text, ...(isWhole ? {} : { outputCut: true }) }
}

interface Followed {
  procId: string
  tail: OutputTail
  reader: OutputFileReader | null
  blockId: string
}

export class TaskOutputs {
  private readonly followed = new Map<string, Followed>()
  private timer: NodeJS.Timeout | null = null
  private blocks = 0

  constructor(private readonly ports: TaskOutputsPorts) {}

  /** Takes the list of everything that runs in the background of this program. */
  told(procId: string, tasks: readonly ReportedTask[]): void {
    for (const { kind, callId, outputFile } of tasks) {
      if (kind !== 'command' || callId === undefined) continue
      const followed = this.followed.get(callId) ?? this.follow(procId, callId)
      if (outputFile) followed.reader ??= new OutputFileReader(outputFile, KEPT, this.ports.denied)
    }
    this.leaveEnded()
    if (this.followed.size > 0) this.timer ??= setInterval(() => this.look(), LOOK_EVERY_MS)
  }

  /** Takes text that the program itself reports for a call. Returns false if the call is no background command. */
  heard(callId: string, text: string): boolean {
    const followed = this.followed.get(callId)
    followed?.tail.push(text)
    return followed !== undefined
  }

  /** What a call has printed so far, or the end of it. Empty if the call is no longer followed. */
  printed(callId: string | undefined): Printed {
    const followed = callId === undefined ? undefined : this.followed.get(callId)
    if (!followed) return {}
    this.readOn(followed)
    return endOf(followed.tail)
  }

  dispose(): void {
    for (const callId of this.followed.keys()) this.leave(callId)
    this.rest()
  }

  private look(): void {
    this.leaveEnded()
    for (const [callId, followed] of this.followed) {
      this.readOn(followed)
      this.show(callId, followed)
    }
  }

  private readOn({ reader, tail }: Followed): void {
    const piece = reader?.read()
    if (piece) tail.push(piece.text, piece.skipped)
  }

  private show(callId: string, followed: Followed): void {
    const next = followed.tail.take()
    if (!next) return
    if (next.anew) this.begin(followed)
    const { procId, blockId } = followed
    // It belongs to no turn, so it names none.
    const header = { blockId, procId, kind: 'tool_progress', callId, afterSeq: this.ports.lastSeq() } as const
    if (next.text !== '') this.ports.live.add(header, next.text)
  }

  private follow(procId: string, callId: string): Followed {
    const followed = { procId, tail: new OutputTail(), reader: null, blockId: this.newId(procId) }
    this.followed.set(callId, followed)
    return followed
  }

  /** Uses another id, so that late frames of a discarded block are dropped. */
  private begin(followed: Followed): void {
    this.ports.live.discard(followed.blockId)
    followed.blockId = this.newId(followed.procId)
  }

  private newId(procId: string): string {
    this.blocks += 1
    return `output:${procId}:${this.blocks}`
  }

  private leaveEnded(): void {
    const running = this.ports.running()
    for (const callId of this.followed.keys()) if (!running.has(callId)) this.leave(callId)
    if (this.followed.size === 0) this.rest()
  }

  private leave(callId: string): void {
    const followed = this.followed.get(callId)
    this.followed.delete(callId)
    followed?.reader?.close()
    if (followed) this.ports.live.discard(followed.blockId)
  }

  private rest(): void {
    if (this.timer) clearInterval(this.timer)
    this.timer = null
  }
}
