/**
 * The parts of one session and how they are joined: each gets what was made before it, and tells later ones by signals.
 * What they do together, from start to end, is the host's.
 */
import { CodedError } from '@roundhouse/backend-types'
import type { ByeReason } from '../host-contract/messages'
import { CommandInbox } from './commands/command-inbox'
import { CommandMeaning } from './commands/command-meaning'
import { PromptCommands } from './commands/prompt-commands'
import { RewindFiles } from './commands/rewind-files'
import { SettingsCommands } from './commands/settings-commands'
import { TellCommands } from './commands/tell-commands'
import type { HostPorts } from './host-ports'
import type { HostStanding } from './host-standing'
import { IdleClock } from './idle-clock'
import { OutputPump } from './output/output-pump'
import { ProgramQueries } from './program/program-queries'
import { refuseCommand } from './program/refuse-command'
import { ToldSettings } from './program/told-settings'
import { type AccountedParts, accountOf, isBusy } from './session-account'
import { SessionBasis } from './session-basis'
import { SessionOutput } from './session-output'
import { SessionWork } from './session-work'
import type { Signal } from './signals'
import { StatePublisher } from './state-publisher'
import { HubCalls } from './tools/hub-calls'
import { ProgramTools } from './tools/program-tools'
import { Publisher } from './tools/publisher'
import { ToolServer } from './tools/tool-server'
import { WaitingCalls } from './tools/waiting-calls'
import { messageIdOf } from './turns/message-id'

export class SessionParts {
  readonly basis: SessionBasis
  readonly output: SessionOutput
  readonly work: SessionWork
  readonly commands: CommandInbox
  readonly queries: ProgramQueries
  /** What an account of the session is read off. */
  readonly accounted: AccountedParts
  readonly publisher: StatePublisher
  readonly idle: IdleClock
  /** Null where the programs of this session have no tools of ours. */
  readonly tools: ToolServer | null
  private readonly waiting = new WaitingCalls()
  private readonly hubCalls: HubCalls
  private readonly pump: OutputPump

  constructor(
    private readonly ports: HostPorts,
    standing: HostStanding,
    private readonly shutDown: (why: ByeReason) => void,
  ) {
    const { launch, daemon, journal } = ports
    this.basis = new SessionBasis(ports, standing)
    this.output = new SessionOutput(this.basis)
    this.work = new SessionWork(this.basis, this.output)
    this.pump = this.makePump()
    const prompts = this.makePrompts()
    const publisher = this.makePublisher()
    this.hubCalls = new HubCalls({ journal, place: () => this.place() })
    const telling = this.makeTelling(prompts, publisher)
    this.tools = this.makeTools(publisher, telling)
    this.commands = this.makeCommands(prompts, telling)
    const { hold, runner, turns, wish } = this.basis
    this.queries = new ProgramQueries({ running: () => runner.running, redact: ports.redact })
    const { live, background } = this.output
    const { broker, ends } = this.work
    this.accounted = { journal, hold, runner, turns, broker, ends, live, background, wish }
    this.publisher = new StatePublisher(
      launch.sessionId,
      journal.log,
      () => accountOf(this.accounted),
      (state) => daemon.broadcast({ type: 'state', state }),
    )
    this.idle = new IdleClock(
      launch.idleMs,
      () => isBusy(this.accounted) || daemon.isAwaited(),
      () => shutDown('idle'),
    )
    this.basis.signals.listen((signal) => this.hear(signal))
  }

  dispose(): void {
    this.idle.dispose()
    this.work.dispose()
    this.output.dispose()
  }

  private hear(signal: Signal): void {
    const { hold, signals } = this.basis
    const { life, ends, turnRunner } = this.work
    switch (signal.type) {
      case 'changed':
        this.idle.touch()
        this.publisher.raise()
        break
      case 'activity':
        this.idle.touch()
        break
      case 'wish_changed':
        life.lookAtWish()
        signals.changed()
        break
      case 'spawned':
        this.pump.attach(signal.running)
        if (hold.holds) hold.apply()
        break
      case 'replaced':
        void ends.leftFor(signal.procId).catch(() => {})
        break
      case 'turn_over':
        this.waiting.dropAll()
        this.hubCalls.dropAll()
        turnRunner.advance()
        break
      case 'shut_down':
        this.shutDown(signal.why)
        break
    }
  }

  private makePump(): OutputPump {
    const { ports, standing, journal, runner, settings, signals } = this.basis
    const { recorder, ids, control } = this.output
    const { broker, closer, ends, life } = this.work
    return new OutputPump({
      recorder,
      ids,
      runner,
      turns: {
        begun: (running) => closer.begun(running),
        completed: (info) => {
          closer.completed(info)
          life.turnCompleted()
        },
      },
      asks: broker,
      settings: new ToldSettings({
        journal,
        runner,
        settings,
        policy: () => standing.policy,
        endProcess: () => life.endProcess(),
        commandsFile: ports.files.commands,
        redact: ports.redact,
      }),
      background: control,
      ends,
      activity: () => signals.say({ type: 'activity' }),
    })
  }

  private makePrompts(): PromptCommands {
    const { journal, turns, results } = this.basis
    const { images, steering, turnRunner } = this.work
    return new PromptCommands({ journal, turns, runner: turnRunner, steering, images, results })
  }

  private makePublisher(): Publisher {
    const { journal } = this.basis
    return new Publisher({ sessionId: this.ports.launch.sessionId, journal, place: () => this.place() })
  }

  /** Where a program speaks from. */
  private place(): { procId?: string; turnId?: string } {
    const { runner, turns } = this.basis
    return {
      ...(runner.running ? { procId: runner.running.procId } : {}),
      ...(turns.current ? { turnId: turns.current.turnId } : {}),
    }
  }

  private makeTelling(prompts: PromptCommands, publisher: Publisher): TellCommands {
    const { journal, turns, results } = this.basis
    const requests = () => this.work.broker.requests()
    return new TellCommands({ journal, turns, waiting: this.waiting, publisher, prompts, results, requests })
  }

  private makeTools(publisher: Publisher, telling: TellCommands): ToolServer | null {
    const { ownPlace } = this.basis
    if (!ownPlace) return null
    const takeQueued = () => telling.takeQueued()
    const tools = new ProgramTools({ publisher, hub: this.hubCalls, waiting: this.waiting, takeQueued })
    return new ToolServer(ownPlace.place, (call) => tools.call(call))
  }

  private makeCommands(prompts: PromptCommands, telling: TellCommands): CommandInbox {
    const { standing, journal, settings, adapters, runner, turns, hold, results } = this.basis
    const { broker, grants, folderRules, ends, life, turnRunner } = this.work
    const { launch, now } = this.ports
    const configuring = new SettingsCommands({
      journal,
      settings,
      turns,
      program: runner,
      ends,
      life,
      backends: Object.keys(launch.backends),
      policy: () => standing.policy,
      results,
    })
    const background = this.output.control
    const rewinding = new RewindFiles({
      journal,
      turns,
      running: () => runner.running,
      settings: () => settings.require(),
      policy: () => standing.policy,
      messageId: (promptId) => messageIdOf(journal.log.logId, promptId),
    })
    const rest = { turns, broker, grants, folderRules, background, rewinding, telling, life, results }
    const asked = {
      settings: () => settings.current?.settings,
      adapter: async (backend: string) => {
        if (!Object.hasOwn(launch.backends, backend)) throw new CodedError('BACKEND_UNAVAILABLE')
        return adapters.get(backend)
      },
    }
    return new CommandInbox({
      journal,
      meaning: new CommandMeaning({ journal, settings, prompts, configuring, hubCalls: this.hubCalls, ...rest }),
      results,
      turns,
      runner: turnRunner,
      life,
      hold,
      refuse: (command) => refuseCommand(asked, command),
      surprised: (error) => this.ports.surprised(error),
      now,
    })
  }
}
