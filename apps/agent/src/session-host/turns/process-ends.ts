/** Handles the ways in which a backend ends, and what the log then says: it exited by itself, was ended, or never started. */
import type { CodedError, ExitInfo } from '@roundhouse/backend-types'
import type { LogChange } from '../../log/statements'
import type { Journal } from '../journal/journal'
import { type BackgroundTasks, backgroundKey } from '../output/background-tasks'
import type { LiveBlocks } from '../output/live-blocks'
import type { OutputHold } from '../output/output-hold'
import type { Grants } from '../permissions/grants'
import type { PermissionBroker } from '../permissions/permission-broker'
import type { ProgramRunner, RunningBackend } from '../program/program-runner'
import type { WishKeeper } from '../settings/wish-keeper'
import { unsaidEvents } from '../transcript/recovered-events'
import type { TranscriptRest } from '../transcript/transcript-rest'
import { beside, closingEvents, mergeChanges, noProcess, type ProcessEnd, unknownDecisions } from './close-process'
import type { Turn } from './turn'
import type { TurnCloser } from './turn-closer'
import type { TurnState } from './turn-state'

const STDERR_TAIL_CHARS = 4_096

export interface EndsPorts {
  journal: Journal
  runner: ProgramRunner
  turns: TurnState
  closer: Pick<TurnCloser, 'giveUp'>
  broker: PermissionBroker
  grants: Grants
  live: LiveBlocks
  rest: TranscriptRest
  /** Ends what the program left behind. */
  endLeftovers(): Promise<void>
  /** Its output may be left in its pipe. */
  hold: Pick<OutputHold, 'holds'>
  /** The background tasks, which end with the process. */
  background: BackgroundTasks
  wish: Pick<WishKeeper, 'after'>
  changed(): void
  /** The next prompt may begin. */
  over(): void
}

export class ProcessEnds {
  /** Why nothing runs, if the log does not say so: a planned end is no event. */
  planned: 'idle' | 'ended_by_person' | null = null
  /** The turn that ends with a program that was told to end. */
  private lastTurn: Turn | null = null

  constructor(private readonly ports: EndsPorts) {}

  /** RES-2: the program exited by itself. */
  crashed(running: RunningBackend, code: number | null, info: ExitInfo | undefined): void {
    const signal = info?.signal ?? null
    const by = signal ? `by ${signal}` : `with code ${code ?? 'unknown'}`
    const error = { code: 'BACKEND_CRASHED', message: `The program ended ${by}.` }
    const stderrTail = (info?.stderrTail ?? '').slice(-STDERR_TAIL_CHARS)
    const exit = { code, signal, stderrTail, cause: 'crashed', error } as const
    // First, because what is left could still write, and reading the transcript may start a program of its own. A
    // prompt that no program was given yet waits for the next one.
    const turn = this.ports.turns.handedOver
    const told = this.ports.endLeftovers().then(() => this.close(running.procId, { kind: 'crashed', exit, turn }))
    this.ports.runner.evictUntil(running, told)
  }

  /** Nothing has to be closed, but people must see why nothing runs. `change` is written with it. */
  startFailed(procId: string, { code, message }: CodedError, change: LogChange = {}): void {
    // A program that did not take what it was told runs on.
    if (this.ports.runner.running) {
      void this.ports.journal.write(change).catch(() => {})
      return
    }
    const exit = { code: null, signal: null, stderrTail: '', cause: 'start_failed', error: { code, message } } as const
    void this.ports.journal.record([{ kind: 'process_exited', procId, ...exit }], mergeChanges(noProcess, change))
  }

  /** The machine's policy does not allow this session to start now. A program that is running its turn may finish it. */
  async forbidden(procId: string, why: CodedError): Promise<void> {
    const { turns, journal } = this.ports
    if (turns.current) return
    await this.end('idle')
    if (journal.projection.exit?.error?.message !== why.message) this.startFailed(procId, why)
    this.ports.changed()
  }

  /**
   * Ends the program and this turn on purpose. A later turn belongs to the next program. An idle program leaves no
   * event except for what ran beside its turns.
   */
  async end(why: 'idle' | 'ended_by_person', turn = this.ports.turns.endWithProgram()): Promise<void> {
    const { runner } = this.ports
    const held = this.ports.hold.holds
    // What waits in its pipe is found in the program's own record.
    this.lastTurn = held ? null : turn
    await runner.end(async ({ procId }) => {
      if (turn || why === 'ended_by_person') {
        const exit = { code: null, signal: 'SIGTERM', stderrTail: '', cause: 'killed' } as const
        await this.close(procId, { kind: 'stopped', exit, turn, held })
        return
      }
      await this.leftFor(procId, noProcess)
    })
    this.planned = why
    if (turn) this.ports.closer.giveUp(turn)
  }

  /** True if output until its end belongs to the turn that ends with it. */
  hears(running: RunningBackend): boolean {
    const { runner, turns } = this.ports
    return runner.endingNow === running && this.lastTurn !== null && turns.current === this.lastTurn
  }

  /** Another program takes its place, or none for now. What it ran beside its turns has ended. */
  async leftFor(procId: string, change: LogChange = {}): Promise<void> {
    const { journal, broker, background } = this.ports
    const ledger = broker.currentLedger
    const events = [...background.gone(), ...beside(journal.projection, procId, ledger)]
    const moved = { moved: unknownDecisions(ledger, procId), meta: { [backgroundKey]: null } }
    await journal.record(events, mergeChanges(moved, broker.forget(procId), change))
  }

  /** `held`: its output was not being read, so the pipe may hold more. `turn`: the turn that ends with it. */
  private async close(
    procId: string,
    { kind, exit, turn, held = false }: Pick<ProcessEnd, 'kind' | 'exit'> & { turn: Turn | null; held?: boolean },
  ): Promise<void> {
    const { journal, turns, broker, grants, live, rest } = this.ports
    const gone = this.ports.background.gone()
    const ends = turn !== null && turns.current === turn
    // Its own record may have more than it could print.
    const unread = ends && (kind === 'crashed' || held)
    const { outputs, notes } = unread ? await rest.read(journal) : { outputs: [], notes: [] }
    const ledger = broker.currentLedger
    const { blocks, done } = live.take()
    const commandId = ends ? turn.commandId : undefined
    const turnId = ends ? turn.turnId : null
    const told = { procId, turnId, head: journal.log.head, outputs, blocks, clean: rest.cleanText }
    const unsaid = [...unsaidEvents(told), ...(held ? notes : []), ...gone]
    const end = { procId, exit, kind, silent: false, commandId, blocks: [], ledger }
    const projection = { ...journal.projectionAfter(unsaid), turnId }
    const events = [...unsaid, ...closingEvents(projection, end)]
    const change = mergeChanges(
      { meta: { ...rest.over, [backgroundKey]: null } },
      { moved: unknownDecisions(ledger, procId) },
      broker.forget(procId),
      kind === 'crashed' ? mergeChanges(grants.forgetAll(), this.ports.wish.after('died')) : {},
      ends ? turns.closedBy('process_exited') : {},
      noProcess,
    )
    await journal.record(events, change)
    done()
    this.ports.changed()
    this.ports.over()
  }
}
