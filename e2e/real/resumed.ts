/** A session on a real program that is to be resumed: what is done to it, and what can be known of it. */
import path from 'node:path'
import type { SessionSettings } from '@roundhouse/backend-types'
import { until } from '../support/common/until'
import type { RealBackend } from '../support/processes/backends'
import { type MarkedProcess, workFolderOf } from '../support/processes/processes'
import type { Rig } from '../support/rigs/rig'
import { Subject } from '../support/rigs/subject'

/** What each backend has its own words for. */
export const own = {
  claude: {
    isProgram: (command: string) => /--(session-id|resume)=/.test(command),
    made: { mode: 'default' },
    changed: { mode: 'acceptEdits', model: 'claude-sonnet-4-5' },
    /** Writes without a question, with what was changed. */
    unasked: (file: string) => ({ tool: 'Write', input: { file_path: file, content: 'x' } }),
  },
  codex: {
    isProgram: (command: string) => / app-server/.test(command),
    made: { sandbox: 'read-only' },
    changed: { sandbox: 'workspace-write', model: 'another-model' },
    unasked: (file: string) => ({ tool: 'exec_command', input: { cmd: `echo x > ${file}` } }),
  },
} as const

export const victims = ['program', 'host'] as const

let names = 0
/** A path in the work folder that nothing has yet. */
export const freshPath = (rig: Rig, what: string) => path.join(rig.system.workDir, `${what}-${++names}`)

export class Resumed extends Subject {
  static async begin(rig: Rig, steps: object[], settings: Partial<SessionSettings> = {}): Promise<Resumed> {
    return new Resumed(rig, await rig.begin(steps, settings))
  }

  /** With one turn behind it. */
  static async begun(rig: Rig, settings: Partial<SessionSettings> = {}, text = 'Before.'): Promise<Resumed> {
    const session = await Resumed.begin(rig, [{ text }], settings)
    await session.turns(1)
    return session
  }

  turns(count: number): Promise<unknown> {
    return until(`${count} turns to be over`, () => this.of('turn_completed').length >= count)
  }

  /** Resolves to the end of the turn of these steps. */
  async plays(...steps: object[]) {
    return this.endOf(await this.rig.prompt(this.sessionId, steps))
  }

  /** Of the turn that this prompt started. Turns of a program that is gone may end meanwhile: the hub is met before them. */
  endOf({ commandId }: { commandId: string }) {
    return until('the turn to be over', () => {
      const started = this.of('turn_started').find((event) => event.commandId === commandId)
      return started && this.of('turn_completed').find(({ turnId }) => turnId === started.turnId)
    })
  }

  kill(who: (typeof victims)[number]): Promise<void> {
    return who === 'host' ? this.killHost() : this.killProgram()
  }

  isNow(status: string) {
    return until(`the session to be ${status}`, async () => {
      const now = (await this.session()).status
      return now.status === status && now
    })
  }

  /** The code with which a command was refused. */
  refusalOf({ commandId }: { commandId: string }): Promise<string> {
    return until('the refusal', async () => {
      const command = (await this.session()).commands.find((one) => one.commandId === commandId)
      return command?.state === 'refused' && command.error?.code
    })
  }

  /** For each start of a program whether it went on with an earlier conversation. */
  get starts(): boolean[] {
    return this.of('session_started').map(({ resumed }) => resumed)
  }

  get conversations(): string[] {
    return [...new Set(this.of('session_started').map(({ backendSessionId }) => backendSessionId))]
  }

  /** The program's own record of its conversation goes. */
  forget(): void {
    for (const backendSessionId of this.conversations) this.rig.system.around.forget(backendSessionId)
  }

  /** Those that work in this folder or below it. A host asks Codex for its history from an empty folder of its own. */
  programsIn(folder: string): MarkedProcess[] {
    return this.programs.filter((program) => `${workFolderOf(program)}/`.startsWith(`${folder}/`))
  }

  /** Without what they run. */
  get clis(): MarkedProcess[] {
    return this.programs.filter(({ command }) => own[this.rig.system.kind as RealBackend].isProgram(command))
  }
}

/** Every request to the model that holds these words, as text. */
export function askedWith(rig: Rig, words: string): string[] {
  return rig.system.around
    .asked()
    .map((body) => JSON.stringify(body))
    .filter((text) => text.includes(words))
}
