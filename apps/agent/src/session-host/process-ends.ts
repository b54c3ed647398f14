/** The ways in which a backend comes to its end, and what the log then says: it went by itself, was ended, or never began. */
import type { CodedError, ExitInfo } from '@roundhouse/backend-types'
import type { BackendSlot, RunningBackend } from './backend-slot'
import { closingEvents, mergeChanges, noProcess, type ProcessEnd, unknownDecisions } from './close-process'
import type { Grants } from './grants'
import type { Journal } from './journal'
import type { LiveBlocks } from './live-blocks'
import type { PermissionDesk } from './permission-desk'
import { unsaidEvents } from './recovered-events'
import type { TranscriptRest } from './transcript-rest'
import type { TurnRunner } from './turn-runner'

const STDERR_TAIL_CHARS = 4_096

export interface EndsPorts {
  journal: Journal
  slot: BackendSlot
  turns: TurnRunner
  desk: PermissionDesk
  grants: Grants
  live: LiveBlocks
  rest: TranscriptRest
  /** Ends what the program left behind. */
  endLeftovers(): Promise<void>
  /** Its output is left in its pipe. */
  isHeld(): boolean
  /** Tasks beside the turns: gone with the process. */
  background: Set<string>
  changed(): void
}

export class ProcessEnds {
  /** Why nothing runs, where the log does not tell it: a planned end is no event. */
  planned: 'idle' | 'ended_by_person' | null = null

  constructor(private readonly ports: EndsPorts) {}

  /** RES-2: it went by itself. */
  crashed(running: RunningBackend, code: number | null, info: ExitInfo | undefined): void {
    const signal = info?.signal ?? null
    const by = signal ? `by ${signal}` : `with code ${code ?? 'unknown'}`
    const error = { code: 'BACKEND_CRASHED', message: `The backend ended ${by}.` }
    const stderrTail = (info?.stderrTail ?? '').slice(-STDERR_TAIL_CHARS)
    const exit = { code, signal, stderrTail, cause: 'crashed', error } as const
    // First: what is left could still write, and reading the transcript may start a program of its own.
    const told = this.ports.endLeftovers().then(() => this.close(running.procId, 'crashed', exit))
    this.ports.slot.evictUntil(running, told)
  }

  /** There was nothing to be closed, but people must see why nothing runs. */
  startFailed(procId: string, { code, message }: CodedError): void {
    const exit = { code: null, signal: null, stderrTail: '', cause: 'start_failed', error: { code, message } } as const
    void this.ports.journal.record([{ kind: 'process_exited', procId, ...exit }], noProcess)
  }

  /** The machine's policy allows no start of this session now. One that runs its turn may end it. */
  async forbidden(procId: string, why: CodedError): Promise<void> {
    const { turns, journal } = this.ports
    if (turns.current) return
    await this.end('idle')
    if (journal.projection.exit?.error?.message !== why.message) this.startFailed(procId, why)
    this.ports.changed()
  }

  /** Ends it on purpose. An idle one leaves no event: the session goes on where it was. */
  async end(why: 'idle' | 'ended_by_person'): Promise<void> {
    const held = this.ports.isHeld()
    const ended = await this.ports.slot.end()
    this.planned = why
    if (!ended) return
    if (this.ports.turns.current || why === 'ended_by_person') {
      const exit = { code: null, signal: 'SIGTERM', stderrTail: '', cause: 'killed' } as const
      await this.close(ended.procId, 'stopped', exit, held)
      return
    }
    this.ports.background.clear()
    await this.ports.journal.write(noProcess)
  }

  /** `held`: it waited on its pipe, and what was in there nobody read. */
  private async close(procId: string, kind: ProcessEnd['kind'], exit: ProcessEnd['exit'], held = false): Promise<void> {
    const { journal, turns, desk, grants, live, rest } = this.ports
    this.ports.background.clear()
    // It may have written more in its own record than it could print.
    const inTurn = (kind === 'crashed' || held) && journal.projection.turnId !== null
    const { outputs, notes } = inTurn ? await rest.read(journal) : { outputs: [], notes: [] }
    const ledger = desk.currentLedger
    const { blocks, done } = live.takeAll()
    const commandId = turns.current?.commandId
    const { turnId } = journal.projection
    const told = { procId, turnId, head: journal.log.head, outputs, blocks, clean: rest.cleanText }
    const unsaid = [...unsaidEvents(told), ...(held ? notes : [])]
    const end = { procId, exit, kind, silent: false, commandId, blocks: [], ledger }
    const events = [...unsaid, ...closingEvents(journal.projectionAfter(unsaid), end)]
    const change = mergeChanges(
      { meta: rest.over },
      { moved: unknownDecisions(ledger, procId) },
      desk.forget(procId),
      kind === 'crashed' ? grants.forgetAll() : {},
      turns.closedBy('process_exited'),
      noProcess,
    )
    await journal.record(events, change)
    done()
    this.ports.changed()
  }
}
