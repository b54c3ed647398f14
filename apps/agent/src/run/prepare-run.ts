/** A run, as far as the machine's policy lets it: its program, its place on this machine, and the runtime over both. */
import { randomUUID } from 'node:crypto'
import type { AgentEvent, BackendAdapter } from '@roundhouse/backend-types'
import { AdapterRuntime } from '@roundhouse/runtime/execute'
import { foldersOf, realFolder, refusalOf, requireAble } from '../bridge/allowed-plan'
import type { Machine } from '../bridge/machine'
import { planSession, readOptions, type SessionPlan } from '../bridge/rules/session-plan'
import { ProgramPlace } from '../bridge/session/program-place'
import type { LogLine } from '../files/log-line'
import { answerAsk, type RunAskPorts } from './run-asks'

export interface RunWanted {
  backend: string
  folder: string | null
  model: string | null
}

export interface RunPorts {
  asker: RunAskPorts['asker']
  stopped: AbortSignal
  log: LogLine
}

/** Throws what the policy or the program has against it. Nothing of it is left then. */
export async function prepareRun(machine: Machine, wanted: RunWanted, ports: RunPorts): Promise<Run> {
  const row = machine.requireBackend(wanted.backend)
  machine.rules()
  const place = new ProgramPlace(machine.folders, randomUUID())
  try {
    const adapter = await machine.load(row, place)
    const { kind, label } = row
    const folder = realFolder(wanted.folder ?? process.cwd())
    const plan = planSession(readOptions({ model: wanted.model }), kind, folder, { label, isDirect: false })
    const refusal = refusalOf(machine, plan, await machine.wrongVersion(row, adapter))
    if (refusal) throw refusal
    requireAble(adapter, label, plan)
    return new Run(machine, { place, adapter, plan }, ports)
  } catch (error) {
    place.leave()
    throw error
  }
}

interface RunParts {
  place: ProgramPlace
  adapter: BackendAdapter
  plan: SessionPlan
}

export class Run {
  private hasProgram = false

  constructor(
    private readonly machine: Machine,
    private readonly parts: RunParts,
    private readonly ports: RunPorts,
  ) {}

  /** The iteration is over when no process of the run is left. */
  async *execute(prompt: string): AsyncGenerator<AgentEvent, void, undefined> {
    const { place, plan } = this.parts
    const { stopped, log } = this.ports
    const procId = randomUUID()
    const stopStart = () => {
      if (!this.hasProgram) void place.endPrograms().catch((error: unknown) => log(String(error)))
    }
    stopped.addEventListener('abort', stopStart, { once: true })
    try {
      place.watch()
      const { workDir } = plan.settings
      yield* this.runtime(procId).execute({ prompt, workingDirectory: workDir, abortSignal: stopped })
    } finally {
      stopped.removeEventListener('abort', stopStart)
      await place.endPrograms()
      place.leave()
    }
  }

  private runtime(procId: string): AdapterRuntime {
    const { place, adapter, plan } = this.parts
    const { machine } = this
    const { workDir, model } = plan.settings
    const askPlace = () => ({ workDir, folders: foldersOf(plan), rules: machine.rules() })
    const asking: RunAskPorts = { adapter, place: askPlace, asker: this.ports.asker }
    return new AdapterRuntime(adapter, {
      scratchDir: place.scratchDir,
      spawn: model === undefined ? {} : { model },
      ask: (request, withdrawn) => answerAsk(request, withdrawn, asking),
      spawned: ({ pid }) => {
        this.hasProgram = true
        place.started(procId, pid)
      },
    })
  }
}
