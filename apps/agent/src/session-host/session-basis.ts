/** What every part of a session stands on: its log, its settings, its program, the turn and the queue. */
import { randomUUID } from 'node:crypto'
import type { CodedError } from '@roundhouse/backend-types'
import { processesMarked } from '../processes/mark-reader'
import { CommandResults } from './commands/command-results'
import type { HostPorts } from './host-ports'
import type { HostStanding } from './host-standing'
import type { Journal } from './journal/journal'
import { LogCare } from './log-care'
import { OutputHold } from './output/output-hold'
import { AdapterLoader } from './program/adapter-loader'
import { ProgramRunner } from './program/program-runner'
import { ConversationKeeper } from './settings/conversation-keeper'
import { judgeAgain } from './settings/judge-again'
import { notesFolder } from './settings/notes-folder'
import type { Applied } from './settings/settings'
import { SettingsKeeper } from './settings/settings-keeper'
import { WishKeeper } from './settings/wish-keeper'
import { Signals } from './signals'
import { OwnPlace } from './tools/own-place'
import { TurnState } from './turns/turn-state'

export class SessionBasis {
  readonly signals = new Signals()
  readonly journal: Journal
  readonly conversation: ConversationKeeper
  readonly settings: SettingsKeeper
  readonly wish: WishKeeper
  readonly adapters: AdapterLoader
  readonly runner: ProgramRunner
  readonly hold: OutputHold
  readonly care: LogCare
  readonly results: CommandResults
  readonly turns: TurnState
  /** Null: an older daemon started this host, and its programs have no tools of ours. */
  readonly ownPlace: OwnPlace | null

  constructor(
    readonly ports: HostPorts,
    readonly standing: HostStanding,
  ) {
    const { journal, launch, now } = ports
    const { changed } = this.signals
    this.journal = journal
    this.conversation = new ConversationKeeper(journal)
    this.settings = new SettingsKeeper(journal, ports.hide)
    this.wish = new WishKeeper({
      journal,
      hint: ports.hint,
      autoResume: () => this.settings.current?.settings.autoResume === true,
      now,
      changed: () => this.signals.say({ type: 'wish_changed' }),
    })
    const { env, scratchDir, record, readMarks } = ports.programs
    this.adapters = new AdapterLoader(launch, env, scratchDir, ports.redact, {
      mayLeave: (folders) => record.mayLeave(folders),
      markedBy: (entries) => processesMarked(readMarks, entries),
      startWaits: (why) => this.runner.startWaits(why),
    })
    this.ownPlace = launch.tools ? new OwnPlace(launch.tools, env) : null
    if (this.ownPlace) ports.hide([this.ownPlace.place.key])
    this.runner = this.makeRunner()
    this.hold = new OutputHold(() => this.runner.running ?? this.runner.endingNow, changed)
    this.care = new LogCare(journal, launch.limits, now, this.hold)
    this.results = new CommandResults(journal, (commandId, answer) =>
      ports.daemon.broadcast({ type: 'news', commandId, answer }),
    )
    this.turns = new TurnState({
      journal,
      changed,
      news: (commandId, state) => void this.results.news(commandId, { state }),
    })
  }

  /** Why nothing of this session may start here now; null where it may. */
  readonly forbids = (desired: Applied): CodedError | null =>
    judgeAgain(this.standing.policy, this.settings.require(), desired)

  private makeRunner(): ProgramRunner {
    const { launch, programs } = this.ports
    const { signals, settings } = this
    return new ProgramRunner({
      sessionId: launch.sessionId,
      journal: this.journal,
      conversation: this.conversation,
      wish: this.wish,
      record: programs.record,
      guard: programs.guard,
      memory: notesFolder(() => ({ folder: this.standing.policy.notes, roots: this.standing.policy.roots })),
      own: (capabilities) => this.ownPlace?.spawnOptions(capabilities) ?? {},
      newId: randomUUID,
      adapter: () => this.adapters.get(settings.require().settings.backend),
      settings,
      forbids: this.forbids,
      left: (procId) => signals.say({ type: 'replaced', procId }),
      wire: (running) => signals.say({ type: 'spawned', running }),
      changed: signals.changed,
    })
  }
}
