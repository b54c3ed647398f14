/** The coding agent's program: it plays turns of a random script, asks for permission, and may crash at any step. */
import type { Decision, PermissionAsk, SessionEvent, TurnEnd } from '@roundhouse/backend-types'
import { type HeldGrant, openRequest, openWorkOf, orphanAll, withdraw } from '../../index'
import type { Host } from './host'
import { append, resolved, type SessionFile, setRow } from './session-file'

interface Turn {
  turnId: string
  commandId: string
  left: number
  /** The ask that the program waits for. */
  waiting: { requestId: string; callId: string } | null
}

const tools = ['Read', 'Write', 'Run']

export class Cli {
  procId: string
  #turn: Turn | null = null

  constructor(readonly host: Host) {
    this.procId = host.world.newId('p')
  }

  get busy(): boolean {
    return this.#turn !== null
  }

  get turnId(): string | null {
    return this.#turn?.turnId ?? null
  }

  /** The turn is ours before its first event is on disk, so that no second one begins. */
  reserve(turnId: string, commandId: string): Turn {
    this.#turn = { turnId, commandId, left: this.host.world.rng.between(1, 4), waiting: null }
    return this.#turn
  }

  run(turn: Turn): void {
    const { rng } = this.host.world
    this.host.after(rng.between(5, 150), () => {
      if (this.#turn !== turn) return
      turn.left -= 1
      if (turn.left < 0) this.end(rng.chance(0.8) ? 'completed' : 'failed')
      else if (rng.chance(0.03)) this.#crash(turn)
      else if (rng.chance(0.45)) this.#say(turn)
      else if (rng.chance(0.5)) this.#runTool(turn)
      else this.#askFirst(turn)
    })
  }

  /** Null: nobody decided. */
  decided(requestId: string, decision: Decision | null): void {
    const turn = this.#turn
    if (turn?.waiting?.requestId !== requestId) return
    const { callId } = turn.waiting
    turn.waiting = null
    if (decision === 'abort') {
      this.end('interrupted')
      return
    }
    const allowed = decision === 'allow' || decision === 'allow_session'
    this.host.append([{ kind: 'tool_result', turnId: turn.turnId, callId, output: 'ok', isError: !allowed }], () =>
      this.run(turn),
    )
  }

  /** PERM-2: the same ask goes on under a new request. */
  renamed(requestId: string, next: string): void {
    const waiting = this.#turn?.waiting
    if (waiting?.requestId === requestId) waiting.requestId = next
  }

  end(reason: TurnEnd, causedBy?: string): void {
    const turn = this.#turn
    if (!turn) return
    this.#turn = null
    const { world } = this.host
    const open = turn.waiting?.requestId
    this.host.commit(
      (file) => {
        const step = withdraw(file.ledger, open ?? '')
        const events = step.closed.map((closed) => resolved(closed))
        const { turnId } = turn
        const commandId = causedBy ?? turn.commandId
        const done = endPrompt(
          { ...file, ledger: step.ledger, queue: world.kernel.turnEnded(file.queue, reason) },
          turn,
        )
        return append(world, done, [...events, { kind: 'turn_completed', turnId, reason, cost: 1, commandId }])
      },
      () => {
        this.host.daemon().news()
        this.host.runNext()
      },
    )
  }

  #say(turn: Turn): void {
    const { world } = this.host
    const blockId = world.newId('b')
    const afterSeq = this.host.file.head
    let text = ''
    const speak = (pieces: number) => {
      if (this.#turn !== turn) return
      if (pieces === 0) {
        const event = { kind: 'assistant_text', turnId: turn.turnId, blockId, text } as const
        this.host.append([event], () => this.run(turn))
        return
      }
      const piece = `${world.newId('word')} `
      const { sessionId } = this.host
      const frame = {
        sessionId,
        procId: this.procId,
        blockId,
        kind: 'assistant_text' as const,
        afterSeq,
        offset: text.length,
        text: piece,
      }
      text += piece
      world.truth.blockTexts.set(blockId, text)
      this.host.daemon().live(frame)
      this.host.after(20, () => speak(pieces - 1))
    }
    speak(world.rng.between(0, 2))
  }

  #runTool(turn: Turn): void {
    const { turnId } = turn
    const callId = this.host.world.newId('c')
    this.host.append([{ kind: 'tool_use', turnId, callId, toolName: 'Read', input: {} }], () =>
      this.host.append([{ kind: 'tool_result', turnId, callId, output: 'ok' }], () => this.run(turn)),
    )
  }

  #askFirst(turn: Turn): void {
    const { world } = this.host
    const callId = world.newId('c')
    const toolName = world.rng.pick(tools) ?? 'Run'
    const ask = this.newAsk(callId, toolName)
    const grant = this.host.file.grants.find((held) =>
      world.kernel.grantCovers(held, { toolName, actionDigest: toolName }, world.clock.now),
    )
    turn.waiting = { requestId: ask.requestId, callId }
    const use = { kind: 'tool_use', turnId: turn.turnId, callId, toolName, input: {} } as const
    const asked = { kind: 'permission_requested', turnId: turn.turnId, ask } as const
    if (grant) {
      this.#allowByGrant(ask, grant, [use, asked])
      return
    }
    this.host.commit((file) => append(world, { ...file, ledger: openRequest(file.ledger, ask) }, [use, asked]))
    if (world.rng.chance(0.1)) this.host.after(world.rng.between(100, 3_000), () => this.#takeBack(turn, ask.requestId))
  }

  /** PERM-5, in the order of PERM-2: on disk as being applied, then told, then recorded as applied. */
  #allowByGrant(ask: PermissionAsk, grant: HeldGrant, events: SessionEvent[]): void {
    const { world } = this.host
    const { requestId, procId, digest } = ask
    const begin = (file: SessionFile): SessionFile => {
      const ledger = openRequest(file.ledger, ask)
      const incoming = { requestId, procId, digest, decision: 'allow', commandId: null } as const
      const begun = world.kernel.beginApply(ledger, incoming, { currentDigest: digest, effectiveDigest: digest })
      return append(world, { ...file, ledger: begun.kind === 'apply' ? begun.ledger : ledger }, events)
    }
    this.host.commit(begin, () => {
      const covers = grant.scope.kind === 'tool' && grant.scope.toolName === ask.toolName
      world.truth.applied(requestId, { grant: covers && grant.expiresAt > ask.askedAt })
      this.host.commit(
        (file) => {
          const step = world.kernel.finishApply(file.ledger, requestId)
          const events = step.closed.map((closed) => resolved(closed, { by: { grantId: grant.grantId } }))
          return append(world, { ...file, ledger: step.ledger }, events)
        },
        () => this.decided(requestId, 'allow'),
      )
    })
  }

  newAsk(callId: string, toolName: string): PermissionAsk {
    const { world } = this.host
    const requestId = world.newId('r')
    const { now } = world.clock
    if (!world.calm && world.rng.chance(0.1)) world.truth.changed.add(requestId)
    return {
      requestId,
      procId: this.procId,
      callId,
      toolName,
      input: {},
      digest: `${toolName}/${requestId}`,
      cwd: '/w',
      askedAt: now,
      ...(world.rng.chance(0.2) ? { expiresAt: now + world.rng.between(500, 8_000) } : {}),
      canEdit: false,
      canExplainDeny: false,
      filesPinned: true,
      redactedSpans: 0,
    }
  }

  #takeBack(turn: Turn, requestId: string): void {
    if (this.#turn !== turn || turn.waiting?.requestId !== requestId) return
    const { closed } = withdraw(this.host.file.ledger, requestId)
    if (closed.length === 0) return
    this.host.commit(
      (file) =>
        append(
          this.host.world,
          { ...file, ledger: withdraw(file.ledger, requestId).ledger },
          closed.map((c) => resolved(c)),
        ),
      () => this.decided(requestId, null),
    )
  }

  /** RES-2: the program dies, the host lives. The next prompt starts another. */
  #crash(turn: Turn): void {
    const { world } = this.host
    const { procId } = this
    this.#turn = null
    this.procId = world.newId('p')
    this.host.commit(
      (file) => {
        const open = openWorkOf(file.projection, { procId, silent: false, ledger: file.ledger })
        const exited = {
          kind: 'process_exited',
          procId,
          code: 1,
          signal: null,
          stderrTail: '',
          cause: 'crashed',
        } as const
        const ledger = orphanAll(file.ledger, procId).ledger
        const queue = world.kernel.turnEnded(file.queue, 'process_exited')
        return append(world, endPrompt({ ...file, ledger, queue, grants: [] }, turn), [
          exited,
          ...world.kernel.closeAfterCrash(open, 'crashed'),
        ])
      },
      () => this.host.runNext(),
    )
  }
}

function endPrompt(file: SessionFile, turn: Turn): SessionFile {
  const row = file.inbox[turn.commandId]
  return row?.state === 'started' ? setRow(file, { ...row, state: 'done', newsDue: true }) : file
}
