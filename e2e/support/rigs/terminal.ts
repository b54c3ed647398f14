/** A real program that a person opened in a terminal with the conversation of a session. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { eventsOf, logOf } from '../accounts/ledger'
import type { System } from '../processes/system'
import { scriptOf } from './rig'

export interface Terminal {
  /** Resolves when the model has answered with this text. */
  says(text: string): Promise<void>
  /** Resolves when the program is gone. */
  close(): Promise<void>
}

/** Resolves when the program has the conversation. Claude Code reads it with the first prompt. */
export async function openTerminal(system: System, sessionId: string): Promise<Terminal> {
  const events = eventsOf(logOf(system.agent.sessionFolder(sessionId)))
  const started = events.findLast((event) => event.kind === 'session_started')
  const id = started?.kind === 'session_started' ? started.backendSessionId : ''
  const claude = ['--resume', id, '-p', '--input-format=stream-json', '--output-format=stream-json', '--verbose']
  const child = spawn(system.around.path ?? '', system.kind === 'claude' ? claude : ['app-server'], {
    cwd: system.workDir,
    env: system.around.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const lines = createInterface({ input: child.stdout })
  const write = (...frames: object[]) => child.stdin.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''))
  const hears = (isIt: (frame: Record<string, unknown>) => boolean) =>
    new Promise<void>((resolve) => {
      const heard = (line: string) => {
        if (!isIt(JSON.parse(line))) return
        lines.off('line', heard)
        resolve()
      }
      lines.on('line', heard)
    })
  if (system.kind === 'codex') {
    const has = hears((frame) => frame.id === 2)
    const clientInfo = { name: 'terminal', title: 'Terminal', version: '1' }
    write(
      { id: 1, method: 'initialize', params: { clientInfo } },
      { method: 'initialized' },
      { id: 2, method: 'thread/resume', params: { threadId: id } },
    )
    await has
  }
  return {
    says: async (text) => {
      const over = hears((frame) => frame.type === 'result')
      const message = { role: 'user', content: [{ type: 'text', text: scriptOf([{ text }]) }] }
      write({ type: 'user', message })
      await over
    },
    close: async () => {
      child.kill()
      await gone
    },
  }
}
