/** Starts a session host that outlives its starter: own session, no inherited descriptors, output to `host.log`. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { writeDurably } from '../files/write-durably'
import { HOST_MARK, LaunchSpec, SESSION_MARK } from './launch-spec'
import { requireSocketPath, sessionFiles } from './paths'

/**
 * Keeps a host from growing over days; measured to cost nothing. The heap must still take the longest line that an adapter
 * reads (64 MiB, twice that in memory where one letter is not Latin): the line, what is read from it, and what is made of
 * that where a secret is taken out.
 */
const MEMORY_FLAGS = ['--max-old-space-size=768', '--max-semi-space-size=1']

export interface LaunchOptions {
  node: string
  hostEntry: string
  launch: LaunchSpec
  /** What the backend's programs may inherit. The session's mark is added. */
  env: Record<string, string>
}

export interface LaunchedHost {
  pid: number
  /** Resolves when the process ends, for as long as this process lives. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

export function launchHost({ node, hostEntry, launch, env }: LaunchOptions): LaunchedHost {
  const spec = LaunchSpec.parse(launch)
  requireSocketPath(spec.socketPath)
  const files = sessionFiles(spec.sessionDir)
  mkdirSync(spec.sessionDir, { recursive: true, mode: 0o700 })
  writeDurably(files.launch, JSON.stringify(spec))
  const output = openSync(files.hostLog, 'a', 0o600)
  try {
    const child = spawn(node, [...MEMORY_FLAGS, hostEntry, spec.sessionDir], {
      detached: true,
      cwd: spec.sessionDir,
      stdio: ['ignore', output, output],
      env: { ...env, [SESSION_MARK]: spec.sessionId, [HOST_MARK]: randomBytes(8).toString('hex') },
    })
    const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
      child.once('exit', (code, signal) => resolve({ code, signal }))
      child.once('error', reject)
    })
    exited.catch(() => {})
    child.unref()
    return { pid: child.pid ?? 0, exited }
  } finally {
    closeSync(output)
  }
}
