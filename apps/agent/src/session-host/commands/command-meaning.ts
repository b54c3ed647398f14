/**
 * Decides what each command means for this session: why it is refused, or what accepting it changes in the log and
 * leaves to do. The inbox receives commands and ensures that each is carried out once.
 */
import { CodedError, type Command, commandsAfterTheEnd, commandsThatStartWork } from '@roundhouse/backend-types'
import { promptQueue } from '@roundhouse/delivery'
import type { Journal } from '../journal/journal'
import type { BackgroundControl } from '../output/background-control'
import type { FolderRules } from '../permissions/folder-rules'
import type { Grants } from '../permissions/grants'
import type { PermissionBroker } from '../permissions/permission-broker'
import type { SettingsKeeper } from '../settings/settings-keeper'
import type { HubCalls } from '../tools/hub-calls'
import type { TurnState } from '../turns/turn-state'
import type { Accepted } from './accepted'
import type { CommandResults } from './command-results'
import type { PromptCommands } from './prompt-commands'
import type { RewindFiles } from './rewind-files'
import type { SessionLife } from './session-life'
import type { SettingsCommands } from './settings-commands'
import type { TellCommands } from './tell-commands'

export interface MeaningPorts {
  journal: Journal
  settings: Pick<SettingsKeeper, 'current'>
  prompts: PromptCommands
  configuring: SettingsCommands
  turns: TurnState
  broker: Pick<PermissionBroker, 'decide'>
  grants: Pick<Grants, 'revoke'>
  folderRules: Pick<FolderRules, 'revoke'>
  background: Pick<BackgroundControl, 'stop'>
  rewinding: RewindFiles
  telling: Pick<TellCommands, 'tell'>
  hubCalls: Pick<HubCalls, 'answer'>
  life: SessionLife
  results: CommandResults
}

export class CommandMeaning {
  constructor(private readonly ports: MeaningPorts) {}

  /** Throws the reason for a refusal. Has no effect beyond the change that the caller writes. */
  of(command: Command): Accepted {
    const { body } = command
    if (body.kind === 'session.create') return this.ports.configuring.create(command, body)
    const { configuring, prompts, turns, life, results } = this.ports
    if (!this.ports.settings.current) throw new CodedError('SESSION_NOT_FOUND')
    if (this.ports.journal.projection.ended && !commandsAfterTheEnd.has(body.kind))
      throw new CodedError('SESSION_ENDED')
    if (commandsThatStartWork.has(body.kind))
      configuring.requireAllowed(body.kind === 'prompt.send' ? body.override : undefined)
    switch (body.kind) {
      case 'prompt.send':
        return body.steer && turns.current ? prompts.steer(command, body) : prompts.enqueue(command, body)
      case 'queue.edit':
        return prompts.change(promptQueue.edit(turns.waiting, body.promptId, body.rev, body.text))
      case 'queue.move':
        return prompts.change(promptQueue.move(turns.waiting, body.promptId, body.rev, body.toIndex))
      case 'queue.remove':
        return prompts.remove(body)
      case 'queue.release':
        return { change: turns.goOn(promptQueue.release(turns.waiting)) }
      case 'turn.interrupt':
        return prompts.interrupt(command, body)
      case 'program.tell':
        return this.ports.telling.tell(command, body)
      case 'tool.answer':
        return this.later(command, async () => this.ports.hubCalls.answer(body.requestId, body.answer))
      case 'task.stop':
        return this.later(command, () => this.ports.background.stop(body.taskId, command.commandId))
      case 'permission.decide':
        return {
          run: async () => {
            const result = await this.ports.broker.decide(body, command.commandId, command.author)
            await results.news(command.commandId, result)
          },
        }
      case 'grant.revoke':
        return this.revoke(command, body.grantId)
      case 'session.configure':
        return configuring.configure(command, body)
      case 'session.resume':
        return this.later(command, () => life.resume(body.fresh === true))
      case 'process.end':
        return this.endProcess(command)
      case 'session.stop':
        return {
          change: life.stopped(),
          ...this.later(command, () => life.stopSession(command)),
        }
      case 'session.delete':
        // The daemon ends this host and erases the session; it forwards no such command.
        throw new CodedError('UNSUPPORTED')
      case 'files.rewind':
        this.ports.rewinding.requireReady()
        return this.later(command, () => this.ports.rewinding.rewind(body, command))
      case 'event.blank':
        return this.later(command, async () => this.ports.journal.log.blank(body.seq))
    }
  }

  private later({ commandId }: Command, act: () => Promise<void>): Accepted {
    return { run: () => this.ports.results.carryOut(commandId, act) }
  }

  /** Takes effect at once, so that no later prompt goes to the program that is ending. */
  private endProcess({ commandId }: Command): Accepted {
    const turn = this.ports.turns.endWithProgram()
    return {
      change: this.ports.life.stopped(),
      run: async () => {
        const ended = this.ports.life.endProcess(turn)
        await Promise.all([ended, this.ports.journal.write({ moved: [{ commandId, state: 'started' }] })])
        await this.ports.results.settle(commandId, { state: 'done' })
      },
    }
  }

  /** A grant of this session, or a rule of the machine (PERM-13.9). */
  private revoke({ author, commandId }: Command, id: string): Accepted {
    const { grants, folderRules, journal } = this.ports
    if (grants.revoke(id, author, commandId)) return {}
    if (!folderRules.revoke(id)) throw new CodedError('NOT_FOUND')
    void journal.record([{ kind: 'grant_ended', grantId: id, why: 'revoked', author, commandId }])
    return {}
  }
}
