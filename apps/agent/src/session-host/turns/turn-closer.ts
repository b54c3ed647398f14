/** Writes what the program says of its turns: one that it began by itself, and the end of each, with all that ends with it. */
import type { SessionEvent, TurnCompleteInfo, TurnEnd } from '@roundhouse/backend-types'
import { closeCalls } from '@roundhouse/delivery'
import type { LogChange } from '../../log/statements'
import type { Journal } from '../journal/journal'
import type { BackgroundTasks } from '../output/background-tasks'
import type { LiveBlocks } from '../output/live-blocks'
import { partialEvents } from '../output/partial-events'
import type { PermissionBroker } from '../permissions/permission-broker'
import { keptMeta } from '../program/kept-meta'
import type { ProgramRunner, RunningBackend } from '../program/program-runner'
import type { ConversationKeeper } from '../settings/conversation-keeper'
import { turnOver } from '../settings/identity-plan'
import type { SettingsKeeper } from '../settings/settings-keeper'
import type { Turn } from './turn'
import { TurnScope } from './turn-scope'
import type { TurnState } from './turn-state'

export interface CloserPorts {
  journal: Journal
  conversation: ConversationKeeper
  settings: Pick<SettingsKeeper, 'answered' | 'modelMissing'>
  runner: Pick<ProgramRunner, 'running'>
  broker: Pick<PermissionBroker, 'withdrawThose'>
  live: LiveBlocks
  /** What runs beside the turns. */
  background: BackgroundTasks
  state: TurnState
  newId(): string
  changed(): void
  /** The next prompt may begin. */
  over(): void
}

type Told = Partial<Extract<SessionEvent, { kind: 'turn_completed' }>>

export class TurnCloser {
  constructor(private readonly ports: CloserPorts) {}

  /** The backend began a turn by itself. */
  begun(running: RunningBackend): void {
    const { state, journal, newId, changed } = this.ports
    if (state.current) return
    const turnId = newId()
    state.begin({ turnId, phase: 'running', interruptAsked: false, applied: running.applied })
    void journal.record([{ kind: 'turn_started', procId: running.procId, turnId, trigger: 'backend' }], {
      meta: state.note(true),
    })
    changed()
  }

  completed(info: TurnCompleteInfo): void {
    // While a prompt still waits for its backend, another turn completed.
    if (!this.ports.state.handedOver) return
    const { cost, duration, contextUsage, usage, error, backendMeta, reason = 'completed' } = info
    const { numTurns, stopReason, apiDuration, denials } = info
    const judged = this.judgeModel(info)
    const told = {
      ...(cost === undefined ? {} : { cost: Math.max(0, cost) }),
      ...(duration === undefined ? {} : { duration: Math.max(0, duration) }),
      ...(contextUsage ? { contextUsage } : {}),
      ...(usage ? { usage } : {}),
      ...(error ? { error } : {}),
      ...(numTurns === undefined ? {} : { numTurns }),
      ...(stopReason === undefined ? {} : { stopReason }),
      ...(apiDuration === undefined ? {} : { apiDuration }),
      ...(denials ? { denials } : {}),
      ...keptMeta(backendMeta),
    }
    this.finish(reason, told, judged)
  }

  /** CAP-4.7: what the end of a turn says of its model. Returns what belongs to the row of that end. */
  private judgeModel({ error, usage, reason = 'completed' }: TurnCompleteInfo): Pick<LogChange, 'meta'> {
    const { state, settings } = this.ports
    const applied = state.current?.applied
    if (!applied) return {}
    if (error?.code === 'MODEL_UNAVAILABLE') settings.modelMissing(applied, error)
    // A command that the program carries out by itself asks no model.
    const isAnswered = reason === 'completed' && (usage?.outputTokens ?? 0) > 0
    return isAnswered ? settings.answered(applied) : {}
  }

  /** The turn's program is gone or never started, and the program's closing events did not end the turn. */
  giveUp(turn: Turn): void {
    if (this.ports.state.current === turn) this.finish('process_exited')
  }

  /** `more`: rows that belong to the end. */
  finish(reason: TurnEnd, told: Told = {}, more: Pick<LogChange, 'meta'> = {}): void {
    const { journal, conversation, runner, broker, live, background, state } = this.ports
    const turn = state.current
    if (!turn) return
    const procId = runner.running?.procId
    const inTurn = { turnId: turn.turnId, ...(procId === undefined ? {} : { procId }) }
    const scope = new TurnScope(journal.projection, background.callIds)
    broker.withdrawThose(scope.holdsRequest)
    const { blocks, done } = live.take(scope.holdsBlock)
    const unanswered = closeCalls(scope.calls(), inTurn)
    const completed: SessionEvent = {
      kind: 'turn_completed',
      ...inTurn,
      ...(turn.commandId === undefined ? {} : { commandId: turn.commandId }),
      reason,
      ...told,
    }
    const change = state.closedBy(reason)
    const durable = journal.record([...partialEvents(blocks), ...unanswered, completed], {
      ...change,
      meta: { ...change.meta, ...more.meta, ...conversation.goOnWith(turnOver(conversation.current)).meta },
    })
    void durable.then(done, () => {})
    this.ports.changed()
    this.ports.over()
  }
}
