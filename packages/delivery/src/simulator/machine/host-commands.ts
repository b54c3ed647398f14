/** How the host takes commands: recorded first, answered when the disk has confirmed it, repeated from the record. */
import type { Command, CommandAnswer, CommandOf, ErrorCode } from '@roundhouse/backend-types'
import { answerOf, promptQueue, supersede } from '../../index'
import type { Host } from './host'
import { append, type InboxEntry, resolved, type SessionFile, setRow } from './session-file'

type Reply = (answer: CommandAnswer) => void

export function serveCommand(host: Host, command: Command, reply: Reply): void {
  const received = host.world.kernel.receiveCommand(host.file.inbox[command.commandId])
  host.world.trace(() => `${host.name} gets ${command.commandId} ${JSON.stringify(command.body)}: ${received.kind}`)
  if (received.kind === 'repeat') {
    host.disk.flush(host, () => reply(received.answer))
    return
  }
  const { body, cmdSeq } = command
  const recorded: Reply = (answer) => {
    if (cmdSeq !== undefined) host.world.truth.tookOrdered(host.sessionId, cmdSeq, command.createdAt)
    reply(answer)
  }
  switch (body.kind) {
    case 'prompt.send':
      takePrompt(host, command, body, recorded)
      break
    case 'permission.decide':
      takeDecision(host, command, body, reply)
      break
    case 'turn.interrupt':
      finish(
        host,
        command,
        'done',
        (answer) => {
          host.world.truth.started(command.commandId)
          reply(answer)
          if (host.cli.turnId === body.turnId) host.cli.end('interrupted', command.commandId)
        },
        (file) => file,
      )
      break
    case 'queue.release':
      finish(host, command, 'done', recorded, (file) => ({ ...file, queue: promptQueue.release(file.queue) }))
      break
    case 'queue.remove':
      takeRemoval(host, command, body, recorded)
      break
    default:
      finish(host, command, 'UNSUPPORTED', reply, (file) => file)
  }
}

export function serveCancel(host: Host, commandId: string, reply: Reply): void {
  const received = host.world.kernel.receiveCancel(host.file.inbox[commandId])
  if (received.kind === 'repeat') {
    host.disk.flush(host, () => reply(received.answer))
    return
  }
  const tombstone: InboxEntry = { commandId, state: 'cancelled', command: null, newsDue: false }
  host.commit(
    (file) => setRow(file, tombstone),
    () => reply(answerOf(tombstone)),
  )
}

function takePrompt(host: Host, command: Command, body: CommandOf<'prompt.send'>, reply: Reply): void {
  const { commandId } = command
  const row: InboxEntry = { commandId, state: 'accepted', command, newsDue: false }
  const entry = { promptId: body.promptId, rev: 0, text: body.text, commandId }
  host.commit(
    (file) => ({ ...setRow(file, row), queue: host.world.kernel.enqueue(file.queue, entry) }),
    () => {
      reply(answerOf(row))
      host.runNext()
    },
  )
}

function takeDecision(host: Host, command: Command, body: CommandOf<'permission.decide'>, reply: Reply): void {
  const { world } = host
  const { commandId } = command
  const { requestId } = body
  const changed = world.truth.changed.has(requestId)
  const begun = world.kernel.beginApply(
    host.file.ledger,
    { ...body, commandId },
    { currentDigest: changed ? 'changed' : body.digest, effectiveDigest: body.digest },
  )
  switch (begun.kind) {
    case 'gone':
    case 'refused':
      finish(host, command, 'REQUEST_GONE', reply, (file) => file)
      return
    case 'changed':
      supersedeAsk(host, command, requestId, reply)
      return
    case 'apply': {
      const row: InboxEntry = { commandId, state: 'started', command, newsDue: false }
      const apply = () => {
        world.truth.started(commandId)
        const how = { commandId, decision: body.decision, digest: begun.entry.ask.digest }
        world.truth.applied(requestId, how)
        host.point('agent.decision.afterApply.beforePersist')
        recordApplied(host, row, body)
      }
      if (!world.kernel.applyAfterFlush) apply()
      host.commit(
        (file) => ({ ...setRow(file, row), ledger: begun.ledger }),
        () => {
          reply(answerOf(row))
          if (world.kernel.applyAfterFlush) apply()
        },
      )
    }
  }
}

function recordApplied(host: Host, row: InboxEntry, body: CommandOf<'permission.decide'>): void {
  const { world } = host
  host.commit(
    (file) => {
      const step = world.kernel.finishApply(file.ledger, body.requestId)
      const granted = body.decision === 'allow_session' ? step.closed : []
      const grants = granted.map(({ ask }) => ({
        grantId: world.newId('g'),
        scope: { kind: 'tool' as const, toolName: ask.toolName },
        label: ask.toolName,
        expiresAt: world.clock.now + 10_000,
        actionDigest: ask.toolName,
      }))
      const done = setRow(
        { ...file, ledger: step.ledger, grants: [...file.grants, ...grants] },
        { ...row, state: 'done' },
      )
      return append(
        world,
        done,
        step.closed.map((closed) => resolved(closed)),
      )
    },
    () => host.cli.decided(body.requestId, body.decision),
  )
}

function supersedeAsk(host: Host, command: Command, requestId: string, reply: Reply): void {
  const { world } = host
  finish(host, command, 'DIGEST_MISMATCH', reply, (file) => {
    const old = file.ledger[requestId]
    if (!old) return file
    const ask = host.cli.newAsk(old.ask.callId, old.ask.toolName)
    const step = supersede(file.ledger, requestId, ask)
    host.cli.renamed(requestId, ask.requestId)
    const events = step.closed.map((closed) => resolved(closed, { commandId: command.commandId }))
    return append(world, { ...file, ledger: step.ledger }, [...events, { kind: 'permission_requested', ask }])
  })
}

function takeRemoval(host: Host, command: Command, body: CommandOf<'queue.remove'>, reply: Reply): void {
  const entry = host.file.queue.entries.find(({ promptId }) => promptId === body.promptId)
  const { queue, answer } = promptQueue.remove(host.file.queue, body.promptId, body.rev)
  if (answer !== 'ok' || !entry) {
    finish(host, command, answer === 'rev_changed' ? 'REV_CHANGED' : 'ALREADY_STARTED', reply, (file) => file)
    return
  }
  finish(host, command, 'done', reply, (file) => {
    const prompt = file.inbox[entry.commandId]
    return { ...(prompt ? setRow(file, { ...prompt, state: 'cancelled', newsDue: true }) : file), queue }
  })
}

/** Commands that are over in one transaction. */
function finish(
  host: Host,
  command: Command,
  result: 'done' | ErrorCode,
  reply: Reply,
  effect: (file: SessionFile) => SessionFile,
): void {
  const { commandId } = command
  const row: InboxEntry =
    result === 'done'
      ? { commandId, state: 'done', command, newsDue: false }
      : { commandId, state: 'refused', command, newsDue: false, error: { code: result, message: '', retryable: false } }
  host.commit(
    (file) => setRow(effect(file), row),
    () => {
      reply(answerOf(row))
      host.runNext()
    },
  )
}
