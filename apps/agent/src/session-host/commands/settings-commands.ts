/** Decides whether a session may be created, changed and started as its settings say (POL-1). */
import { randomUUID } from 'node:crypto'
import {
  CodedError,
  type Command,
  type CommandOf,
  type SessionEvent,
  type SessionSettings,
} from '@roundhouse/backend-types'
import { promptQueue } from '@roundhouse/delivery'
import { realPathOf } from '../../actions/named-paths'
import type { HostPolicy } from '../../host-contract/launch-spec'
import type { Journal } from '../journal/journal'
import type { ProgramRunner } from '../program/program-runner'
import { judgeAgain, requireChanges } from '../settings/judge-again'
import { desiredOf, settingsKey } from '../settings/settings'
import type { SettingsKeeper } from '../settings/settings-keeper'
import { mergeChanges } from '../turns/close-process'
import type { ProcessEnds } from '../turns/process-ends'
import type { TurnState } from '../turns/turn-state'
import type { Accepted } from './accepted'
import type { CommandResults } from './command-results'
import { entryOf } from './prompt-commands'
import type { SessionLife } from './session-life'

export interface SettingsPorts {
  journal: Journal
  settings: SettingsKeeper
  turns: Pick<TurnState, 'waiting' | 'replaceQueue'>
  program: Pick<ProgramRunner, 'configure'>
  /** Records that the program must not start here now, and ends what still runs. */
  ends: Pick<ProcessEnds, 'forbidden'>
  life: Pick<SessionLife, 'choiceChanged'>
  /** The programs of this machine. */
  backends: readonly string[]
  policy(): HostPolicy
  results: CommandResults
}

export class SettingsCommands {
  constructor(private readonly ports: SettingsPorts) {}

  /** POL-1: the policy may have become narrower since the session was created. */
  requireAllowed(override: CommandOf<'prompt.send'>['override']): void {
    const stored = this.ports.settings.current
    const refusal = stored && judgeAgain(this.ports.policy(), stored, desiredOf(stored.settings, override))
    if (!refusal) return
    void this.ports.ends.forbidden(randomUUID(), refusal)
    throw refusal
  }

  create(command: Command, body: CommandOf<'session.create'>): Accepted {
    if (this.ports.settings.current) throw new CodedError('INVALID_ARGUMENT', 'The session exists already.')
    const { settings, prompt, title, continuedFrom } = body
    if (!this.ports.backends.includes(settings.backend)) {
      throw new CodedError('BACKEND_UNAVAILABLE', `There is no ${settings.backend} on this machine.`)
    }
    const stored = { settings, realWorkDir: realPathOf(settings.workDir) }
    const refusal = judgeAgain(this.ports.policy(), stored)
    if (refusal) throw refusal
    const created: SessionEvent = {
      kind: 'session_created',
      commandId: command.commandId,
      logId: this.ports.journal.log.logId,
      ...stored,
      ...(title === undefined ? {} : { title }),
      author: command.author,
      ...(continuedFrom === undefined ? {} : { continuedFrom }),
    }
    this.ports.settings.apply(stored)
    const queue = prompt ? promptQueue.enqueue(this.ports.turns.waiting, entryOf(command, prompt)) : null
    return {
      events: [created],
      change: mergeChanges(
        { meta: { [settingsKey]: JSON.stringify(stored) } },
        queue ? this.ports.turns.replaceQueue(queue) : {},
      ),
      state: prompt ? 'accepted' : 'done',
    }
  }

  configure(command: Command, body: CommandOf<'session.configure'>): Accepted {
    const stored = this.ports.settings.current
    if (!stored) throw new CodedError('SESSION_NOT_FOUND')
    requireChanges(this.ports.policy(), body.changes)
    const { commandId, author } = command
    const { autoResume: _ours, ...changes } = body.changes
    const settings: SessionSettings = { ...stored.settings, ...body.changes }
    const next = { ...stored, settings }
    this.ports.settings.apply(next)
    return {
      events: [{ kind: 'session_configured', commandId, changes, by: 'person', author }],
      change: mergeChanges({ meta: { [settingsKey]: JSON.stringify(next) } }, this.ports.life.choiceChanged()),
      run: async () => {
        // A failure here is repaired before the next turn.
        await this.ports.program.configure(desiredOf(this.ports.settings.require().settings)).catch(() => {})
        await this.ports.results.settle(commandId, { state: 'done' })
      },
    }
  }
}
