/** The agent as it is shipped, run as a program. */
import { spawn } from 'node:child_process'
import { bundle } from './bundle'

export interface Ran {
  code: number | null
  out: string
  err: string
}

export interface Running {
  pid: number
  kill(signal: NodeJS.Signals): void
  ended: Promise<Ran>
  /** Resolves when standard error has said this. */
  said(text: string): Promise<void>
}

/** Starts it with this home, and nothing on its standard input but `input`. */
export async function runAgent(home: string, args: readonly string[], input = ''): Promise<Running> {
  const main = await bundle('main.ts')
  const env = { ...process.env, ROUNDHOUSE_AGENT_HOME: home, XDG_RUNTIME_DIR: '' }
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  let out = ''
  let err = ''
  let watchers: Array<() => void> = []
  child.stdout.on('data', (piece) => {
    out += piece
  })
  child.stderr.on('data', (piece) => {
    err += piece
    for (const look of watchers) look()
  })
  const ended = new Promise<Ran>((resolve) => child.on('close', (code) => resolve({ code, out, err })))
  return {
    pid: child.pid ?? 0,
    kill: (signal) => void child.kill(signal),
    ended,
    said: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!err.includes(text)) return
          watchers = watchers.filter((one) => one !== look)
          resolve()
        }
        watchers.push(look)
        look()
        void ended.then(() => reject(new Error(`it ended without saying "${text}":\n${err}`)))
      }),
  }
}

export const agent = async (home: string, args: readonly string[], input = ''): Promise<Ran> =>
  (await runAgent(home, args, input)).ended
