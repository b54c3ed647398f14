/** Creates a session from a client's request, as far as the machine's policy lets it. */
import type { BackendAdapter, HookCall } from '@roundhouse/backend-types'
import type { BridgeRequestOf } from '@roundhouse/backend-types/bridge'
import type { AdapterRow } from '../backends/adapters'
import { foldersOf, realFolder, refusalOf, requireAble } from './allowed-plan'
import { MadeFrames } from './frames/made-frames'
import type { Machine } from './machine'
import type { Say } from './messages/replies'
import type { AskPlace } from './rules/ask-rules'
import { judgeChange } from './rules/create-rules'
import { planSession, readOptions, type SessionPlan } from './rules/session-plan'
import { BridgeSession } from './session/bridge-session'
import { Callbacks, type Timer } from './session/callbacks'
import { SessionProgram } from './session/program'
import { ProgramPlace } from './session/program-place'
import { SessionAsks } from './session/session-asks'

export interface CreationPorts {
  machine: Machine
  /** The program of a session that names none. */
  backend: string
  callbackTimeoutMs: number
  timer: Timer
  newId(): string
  log(line: string): void
}

export interface NewSession {
  id: string
  payload: BridgeRequestOf<'session.create'>['payload']
  say: Say
  /** Called once, when the client is to know of the session. */
  known(): void
}

/** Throws what the policy, or the options, have against it. Nothing of the session is left then. */
export async function createSession(ports: CreationPorts, made: NewSession): Promise<BridgeSession> {
  const { machine } = ports
  const options = readOptions(made.payload.options)
  const row = machine.requireBackend(options.backend ?? ports.backend)
  machine.rules()
  const place = new ProgramPlace(machine.folders, made.id)
  try {
    const parts = new SessionParts(ports, made, row, place)
    const adapter = await machine.load(row, place, { hook: (call) => parts.hook(call) })
    const { label } = row
    const { isDirect = false } = adapter
    const cwd = realFolder(made.payload.cwd)
    const plan = planSession(options, row.kind, cwd, { label, isDirect })
    const wrong = await machine.wrongVersion(row, adapter)
    return parts.build(adapter, plan, wrong)
  } catch (error) {
    place.leave()
    throw error
  }
}

class SessionParts {
  private session: BridgeSession | null = null

  constructor(
    private readonly ports: CreationPorts,
    private readonly made: NewSession,
    private readonly row: AdapterRow,
    private readonly place: ProgramPlace,
  ) {}

  async hook(call: HookCall): Promise<Record<string, unknown>> {
    return this.session?.hook(call) ?? {}
  }

  build(adapter: BackendAdapter, plan: SessionPlan, wrongVersion: string | undefined): BridgeSession {
    const { machine, newId, log, callbackTimeoutMs, timer } = this.ports
    const { id, say } = this.made
    const callbacks = new Callbacks(callbackTimeoutMs, timer)
    const folders = foldersOf(plan)
    const askPlace = (): AskPlace => ({ workDir: plan.settings.workDir, folders, rules: machine.rules() })
    const requireAllowed = (now: SessionPlan) => {
      const refusal = refusalOf(machine, now, wrongVersion)
      if (refusal) throw refusal
    }
    requireAllowed(plan)
    requireAble(adapter, this.row.label, plan)
    const program = new SessionProgram({
      adapter,
      place: this.place,
      plan,
      newId,
      requireAllowed,
      wire: (running) => session.wire(running),
      lost: (running) => session.lost(running),
    })
    const session: BridgeSession = new BridgeSession({
      id,
      label: this.row.label,
      say,
      callbacks,
      asks: new SessionAsks({ sessionId: id, callbacks, say, newId, place: askPlace, log }),
      program,
      made: adapter.isDirect ? null : this.framesFor(plan),
      known: this.made.known,
      requireChange: ({ mode, model }) => {
        const change = { ...(mode === undefined ? {} : { mode }), ...(model === undefined ? {} : { model }) }
        const refusal = judgeChange(machine.rules(), change)
        if (refusal) throw refusal
      },
      log,
    })
    this.session = session
    return session
  }

  private framesFor({ settings, wantsPartial }: SessionPlan): MadeFrames {
    const { workDir: cwd, model, mode, backend } = settings
    return new MadeFrames({ cwd, model, mode, backend, wantsPartial, newId: this.ports.newId })
  }
}
