/** The session host: the only writer of its session's log. It recovers what a dead one left, then serves commands. */
import type {
  Command,
  CommandAnswer,
  HostState,
  PermissionAsk,
  QueueEntry,
  SessionEvent,
} from '@roundhouse/backend-types'
import { expire, openWorkOf, orphanAll, type RebaseOrder } from '../../index'
import type { Disk } from '../world/disk'
import { Proc } from '../world/proc'
import { uidOf } from '../world/truth'
import type { World } from '../world/world'
import { Cli } from './cli'
import type { Daemon } from './daemon'
import { serveCancel, serveCommand } from './host-commands'
import { append, type InboxEntry, rebase, resolved, rowsAfter, type SessionFile, setRow } from './session-file'

export class Host extends Proc {
  ready = false
  cli = new Cli(this)
  #rev = 0

  constructor(
    world: World,
    readonly sessionId: string,
    readonly disk: Disk<SessionFile>,
    readonly daemon: () => Daemon,
  ) {
    super(world, `host(${sessionId})`)
  }

  get file(): SessionFile {
    return this.disk.current
  }

  /** One transaction, with fsync; then the doorbell, the new state, and whatever waited for it. */
  commit(change: (file: SessionFile) => SessionFile, done?: () => void): void {
    const { head } = this.file
    this.disk.write(change)
    const added = rowsAfter(this.file, head)
    this.world.trace(
      () => `${this.name} writes ${added.map(({ seq, body }) => `${seq} ${body}`).join(', ') || 'no event'}`,
    )
    const uids = added.flatMap((row) => uidOf(row) ?? [])
    this.point('agent.afterWrite.beforeFlush')
    if (!this.world.kernel.sendAfterFlush) this.daemon().doorbell(this.sessionId)
    this.disk.flush(this, () => {
      this.world.truth.accepted(uids)
      this.point('agent.afterAppend.beforeSend')
      this.daemon().doorbell(this.sessionId)
      this.emitState()
      done?.()
    })
  }

  append(events: SessionEvent[], done?: () => void): void {
    this.commit((file) => append(this.world, file, events), done)
  }

  receive(command: Command, reply: (answer: CommandAnswer) => void): void {
    if (this.ready) serveCommand(this, command, reply)
  }

  cancel(commandId: string, reply: (answer: CommandAnswer) => void): void {
    if (this.ready) serveCancel(this, commandId, reply)
  }

  /** REB-1. An order that comes twice finds its gap and changes nothing. */
  rebase(order: RebaseOrder, hubEpoch: string, done: () => void): void {
    if (!this.ready) return
    this.world.trace(() => `${this.name} rebases to ${order.to}, held ${order.held}`)
    this.commit((file) => rebase(this.world, file, order, hubEpoch), done)
  }

  emitState(): void {
    if (!this.ready) return
    const { projection, queue, ledger, lease, head } = this.disk.durable
    const requests = Object.values(ledger).flatMap(({ ask, applying }) => (applying ? [] : [ask]))
    const { turnId } = projection
    this.#rev += 1
    const state: HostState = {
      sessionId: this.sessionId,
      leaseToken: lease,
      rev: this.#rev,
      atSeq: head,
      status: { status: turnId === null ? 'idle' : requests.length > 0 ? 'needs_you' : 'running' },
      ...(turnId === null ? {} : { turnId }),
      queue: [...queue.entries],
      queueHeld: queue.held,
      requests,
      openBlocks: [],
    }
    this.daemon().state(state)
  }

  /** CMD-5: the next prompt, if there is one and no turn runs. */
  runNext(): void {
    const { kernel, truth } = this.world
    if (!this.ready || this.cli.busy) return
    const { queue, entry } = kernel.takeNext(this.file.queue)
    if (!entry) return
    const row = this.file.inbox[entry.commandId]
    const taken = row && kernel.startCommand(row)
    if (!row || !taken) {
      this.commit(
        (file) => ({ ...file, queue }),
        () => this.runNext(),
      )
      return
    }
    const turnId = this.world.newId('t')
    const turn = this.cli.reserve(turnId, entry.commandId)
    this.commit(
      (file) =>
        append(this.world, setRow({ ...file, queue, procId: this.cli.procId }, { ...row, ...taken }), [
          ...(file.projection.exit ? [started(this.sessionId, true)] : []),
          { kind: 'turn_started', turnId, trigger: 'prompt', promptId: entry.promptId },
          { kind: 'user_message', turnId, commandId: entry.commandId, promptId: entry.promptId, text: entry.text },
        ]),
      () => {
        truth.started(entry.commandId)
        this.cli.run(turn)
      },
    )
  }

  protected onStart(): void {
    this.ready = false
    this.cli = new Cli(this)
    this.#rev = 0
    this.commit(
      (file) => this.#recover(file),
      () => {
        this.ready = true
        this.emitState()
        this.daemon().doorbell(this.sessionId)
        this.runNext()
      },
    )
    this.every(1_000, () => this.#expire())
  }

  protected onCrash(): void {
    this.ready = false
    this.settle(() => this.disk.crash())
    this.daemon().hostDied(this.sessionId)
  }

  /** The disk loses something: the truth must know what. */
  settle(change: () => void): void {
    const uids = () => this.file.rows.flatMap((row) => uidOf(row) ?? [])
    const before = uids()
    change()
    const after = new Set(uids())
    this.world.truth.gone(
      before.filter((uid) => !after.has(uid)),
      'lost',
    )
    this.world.truth.accepted([...after])
  }

  #recover(file: SessionFile): SessionFile {
    const { world, sessionId } = this
    const events: SessionEvent[] = []
    if (file.head === 0) {
      const settings = { backend: 'scripted', workDir: '/w' }
      events.push({ kind: 'session_created', logId: file.logId, settings, realWorkDir: '/w' })
    }
    const open = openWorkOf(file.projection, { procId: file.procId, silent: false, ledger: file.ledger })
    const turnWasOpen = open.turnId !== null
    const closing = world.kernel.closeAfterCrash(open, 'crashed')
    if (closing.length > 0) {
      events.push({
        kind: 'process_exited',
        procId: file.procId,
        code: null,
        signal: null,
        stderrTail: '',
        cause: 'host_died',
      })
    }
    const { inbox, queue } = recoverCommands(world, file)
    world.trace(() => `host(${sessionId}) recovers ${file.logId} at ${file.head}${file.logLost ? ', log lost' : ''}`)
    return append(
      world,
      {
        ...file,
        lease: file.lease + 1,
        inbox,
        queue: turnWasOpen ? world.kernel.turnEnded(queue, 'process_exited') : queue,
        ledger: orphanAll(file.ledger, file.procId).ledger,
        grants: [],
        logLost: false,
      },
      [...events, ...closing, started(sessionId, file.head > 0)],
    )
  }

  #expire(): void {
    const { now } = this.world.clock
    const isOver = ({ expiresAt = now }: PermissionAsk) => expiresAt <= now
    const { closed } = expire(this.file.ledger, isOver)
    if (!this.ready || closed.length === 0) return
    this.commit(
      (file) =>
        append(
          this.world,
          { ...file, ledger: expire(file.ledger, isOver).ledger },
          closed.map((c) => resolved(c)),
        ),
      () => {
        for (const { ask } of closed) this.cli.decided(ask.requestId, null)
      },
    )
  }
}

function started(backendSessionId: string, resumed: boolean): SessionEvent {
  return { kind: 'session_started', backendSessionId, resumed }
}

/** CMD-3: what is to be run is in the queue, in the order in which it was accepted; everything else is not. */
function recoverCommands(world: World, file: SessionFile): Pick<SessionFile, 'inbox' | 'queue'> {
  const inbox: Record<string, InboxEntry> = {}
  const entries: QueueEntry[] = []
  for (const [commandId, row] of Object.entries(file.inbox)) {
    const next = world.kernel.recoverCommand(row, file.logLost)
    inbox[commandId] = next === 'close_as_unknown' ? { ...row, state: 'outcome_unknown', newsDue: true } : row
    const body = row.command?.body
    if (next !== 'run' || body?.kind !== 'prompt.send') continue
    const queued = file.queue.entries.find((entry) => entry.commandId === commandId)
    entries.push(queued ?? { promptId: body.promptId, rev: 0, text: body.text, commandId })
  }
  return { inbox, queue: { entries, held: file.queue.held && entries.length > 0 } }
}
