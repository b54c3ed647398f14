/**
 * How the pages come into the process: one load at a time, kept once it succeeded. After one that failed (no descriptor
 * was left, the disk refused) a later request tries again, no oftener than the pause says; until then everybody gets the
 * failure of the last try.
 *
 * Node remembers for good which package it could not read: after one `import('next')` without descriptors every further one
 * says that there is no such package. So it is asked for by its file, which is found without that memory, and only once
 * there is room for what the load opens.
 */
import { closeSync, openSync } from 'node:fs'
import { createRequire } from 'node:module'
import { devNull } from 'node:os'

/** Loading opens a few files at once; requests that wait meanwhile hold some more. */
const ROOM = 64

export interface Pace {
  pauseMs: number
  /** Milliseconds that only go forward. */
  now(): number
}

const usualPace: Pace = { pauseMs: 1_000, now: () => performance.now() }

/** `failed` hears of each try that failed, once. */
export function loadAgain<T>(
  load: () => Promise<T>,
  failed: (error: unknown) => void,
  { pauseMs, now }: Pace = usualPace,
): () => Promise<T> {
  let current: Promise<T> | undefined
  let failedAt: number | undefined

  function start(): Promise<T> {
    failedAt = undefined
    const trying = load()
    trying.catch((error: unknown) => {
      failedAt = now()
      failed(error)
    })
    return trying
  }
  return () => {
    if (current === undefined || (failedAt !== undefined && now() - failedAt >= pauseMs)) current = start()
    return current
  }
}

export type Next = typeof import('next')['default']

/** Throws what the system says where there is no room for it, or it cannot be read. */
export function requireNext(): Next {
  requireRoom()
  return createRequire(import.meta.url)('next/dist/server/next.js')
}

function requireRoom(): void {
  const held: number[] = []
  try {
    while (held.length < ROOM) held.push(openSync(devNull, 'r'))
  } finally {
    for (const handle of held) closeSync(handle)
  }
}
