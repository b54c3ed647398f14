/** The agent as it is shipped: its bundles, run as programs. One folder per source state, named by its hash. */
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const agentDir = fileURLToPath(new URL('../..', import.meta.url))
// Inside node_modules, so that the bundles find the one package that stays outside of them.
const cache = fileURLToPath(new URL('../../../../node_modules/.cache/roundhouse', import.meta.url))
let built: Promise<string> | undefined

/** The path of `main.js`. */
function buildAgent(): Promise<string> {
  built ??= build()
  return built
}

async function build(): Promise<string> {
  const draft = path.join(cache, `agent-draft-${process.pid}`)
  await promisify(execFile)(process.execPath, [path.join(agentDir, 'build.mjs'), draft])
  const hash = createHash('sha256')
  for (const name of readdirSync(draft, { recursive: true, encoding: 'utf8' }).sort()) {
    if (name.endsWith('.js')) hash.update(name).update(readFileSync(path.join(draft, name)))
  }
  const folder = path.join(cache, `agent-${hash.digest('hex').slice(0, 12)}`)
  if (existsSync(folder)) rmSync(draft, { recursive: true })
  else renameSync(draft, folder)
  return path.join(folder, 'main.js')
}

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
  const main = await buildAgent()
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
