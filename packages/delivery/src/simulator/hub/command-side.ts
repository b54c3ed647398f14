/** Commands on their way to the agents: in order, sent until answered, called back when their time is over. */
import type { Command, CommandAnswer } from '@roundhouse/backend-types'
import type { AgentChannel } from '../machine/daemon'
import type { Hub } from './hub'
import { stepCommand, withoutDecision } from './hub-db'

export interface Connection {
  channel: AgentChannel
  agentId: string
  connEpoch: number
  /** Sessions with a verdict, and whether they wait for a rebase. */
  served: Map<string, Served>
  /** Commands that were sent and not answered yet. */
  asked: Set<string>
}

export interface Served {
  stopped: boolean
  /** On this connection. A conflicting batch that comes after that was sent before it, and stops nothing. */
  rebased: boolean
}

export class CommandSide {
  readonly #hub: Hub
  readonly #connections: ReadonlyMap<AgentChannel, Connection>

  constructor(hub: Hub, connections: ReadonlyMap<AgentChannel, Connection>) {
    this.#hub = hub
    this.#connections = connections
  }

  /** CMD-2: `sent` is on disk before the frame leaves. */
  send(sessionId: string): void {
    const hub = this.#hub
    const { kernel } = hub.world
    const connection = this.#connectionOf(sessionId)
    const served = connection?.served.get(sessionId)
    if (!connection || !served || (served.stopped && kernel.holdCommandsWhileStopped)) return
    const rows = Object.values(hub.db.commands).filter((row) => row.sessionId === sessionId)
    const toSend = kernel.commandsToSend(rows).filter(({ commandId }) => !connection.asked.has(commandId))
    if (toSend.length === 0) return
    for (const { commandId } of toSend) connection.asked.add(commandId)
    hub.commit(
      (db) => toSend.reduce((next, { commandId }) => stepCommand(next, commandId, 'sent', kernel), db),
      () => {
        hub.point('hub.afterSent.beforeCommand')
        for (const { commandId, command } of toSend) {
          if (hub.db.commands[commandId]?.state === 'sent') this.#deliver(connection, command)
        }
      },
    )
  }

  /** A frame may have been lost. */
  sendAgain(): void {
    for (const connection of this.#connections.values()) {
      connection.asked.clear()
      for (const sessionId of connection.served.keys()) this.send(sessionId)
    }
  }

  /** CMD-4: what was sent is called back, and the agent's word decides. */
  expire(): void {
    const hub = this.#hub
    const { kernel, clock } = hub.world
    for (const row of Object.values(hub.db.commands)) {
      if (row.expiresAt === null || row.expiresAt > clock.now || (row.state !== 'pending' && row.state !== 'sent'))
        continue
      const { commandId, sessionId } = row
      hub.disk.write((db) => stepCommand(db, commandId, 'expire', kernel))
      const connection = this.#connectionOf(sessionId)
      if (hub.db.commands[commandId]?.state !== 'sent' || connection?.served.get(sessionId)?.stopped !== false) continue
      connection.channel.askClient(
        (daemon, reply: (answer: CommandAnswer) => void) => daemon.cancel(sessionId, commandId, reply),
        (answer) => this.#heard(sessionId, commandId, answer),
      )
    }
    hub.disk.flush(hub, () => {})
  }

  /** A decision whose request is open, and of which nobody knows whether the host has it. */
  callBack(sessionId: string, commandId: string): void {
    const connection = this.#connectionOf(sessionId)
    if (connection?.served.get(sessionId)?.stopped !== false) return
    connection.channel.askClient(
      (daemon, reply: (answer: CommandAnswer) => void) => daemon.cancel(sessionId, commandId, reply),
      (answer) => {
        if (answer.state === 'cancelled')
          this.#hub.commit(
            (db) => withoutDecision(db, commandId),
            () => {},
          )
        else this.#heard(sessionId, commandId, answer)
      },
    )
  }

  #deliver(connection: Connection, command: Command): void {
    const { sessionId, commandId } = command
    connection.channel.askClient(
      (daemon, reply: (answer: CommandAnswer) => void) => daemon.command(command, reply),
      (answer) => {
        connection.asked.delete(commandId)
        this.#heard(sessionId, commandId, answer)
      },
    )
  }

  #heard(sessionId: string, commandId: string, answer: CommandAnswer): void {
    this.#hub.world.trace(() => `hub hears ${commandId} ${answer.state}`)
    const { kernel, truth } = this.#hub.world
    if (answer.state === 'done') truth.answeredDone.add(commandId)
    this.#hub.commit(
      (db) => stepCommand(db, commandId, { answer: answer.state }, kernel),
      () => this.send(sessionId),
    )
  }

  #connectionOf(sessionId: string): Connection | undefined {
    const newest = this.#hub.db.connEpochs
    return [...this.#connections.values()].find(
      ({ agentId, connEpoch, served }) => served.has(sessionId) && connEpoch === newest[agentId],
    )
  }
}
