/** The real paths of the roots at once, for whoever must judge by them now. It waits for them no longer than this (FLOW-7). */
import { execFileSync } from 'node:child_process'
import { isLack } from '@roundhouse/backend-types'
import type { Look } from './looks'

const LIMIT_MS = 3_000

/** `entry`: `look.js`. Null: one of them does not answer. Throws what passes (`passesByItself`) where it could not be asked. */
export function rootsNow(entry: string, roots: readonly string[]): string[] | null {
  if (roots.length === 0) return []
  const look: Look = { look: 'roots', roots: [...roots] }
  try {
    const answer = execFileSync(process.execPath, [entry], {
      ...{ cwd: '/', env: {}, input: `${JSON.stringify(look)}\n`, encoding: 'utf8' as const },
      ...{ timeout: LIMIT_MS, killSignal: 'SIGKILL' as const, stdio: ['pipe', 'pipe', 'ignore'] as const },
    })
    // The last line: those before it say where it looks.
    return JSON.parse(answer.trimEnd().split('\n').at(-1) ?? '').seen
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ETIMEDOUT') return null
    if (isLack(cause)) throw cause
    throw Object.assign(new Error('the allowed folders could not be looked at', { cause }), { code: 'EIO' })
  }
}
