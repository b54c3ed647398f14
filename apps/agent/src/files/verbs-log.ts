/**
 * The machine's own record, append-only: requests of hubs and their results, permission requests of programs and their
 * results. One JSON line each, readable while hub and daemon are down. It contains no prompt, no path, no tool input and no
 * secret. The daemon and the session hosts append to one file; each line is one write, so lines never mix.
 */
import { appendFileSync, closeSync, constants, fstatSync, readSync } from 'node:fs'
import { openOwnFile } from '@roundhouse/owner'
import { z } from 'zod'

const NEWLINE = 10
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT

export const VerbEntry = z.object({
  /** ISO 8601. */
  at: z.string(),
  /** A command, `permission.asked` or `permission.resolved`. */
  verb: z.string(),
  sessionId: z.string(),
  commandId: z.string().optional(),
  requestId: z.string().optional(),
  /** What a program wants to use. */
  tool: z.string().optional(),
  userId: z.string().optional(),
  /** The name that the hub gave; an older line has none. */
  author: z.string().optional(),
  /** What was answered: `accepted`, `done`, `refused`, `cancelled`, ...; of a request: `waits`, then its outcome. */
  verdict: z.string(),
  /** What the person, or the active permission, had said. */
  decision: z.string().optional(),
  /** For a refusal: the error's code, and the policy's rule if it was one. */
  code: z.string().optional(),
  rule: z.string().optional(),
  /** A rule of the folder that the decision left. */
  leftRule: z.string().optional(),
})
export type VerbEntry = z.infer<typeof VerbEntry>

/** A full disk must not keep a person from stopping a session, so nothing is thrown. */
export function appendVerb(file: string, entry: VerbEntry): void {
  try {
    const handle = openOwnFile(file, APPEND)
    try {
      appendFileSync(handle, `${isTorn(handle) ? '\n' : ''}${JSON.stringify(entry)}\n`)
    } finally {
      closeSync(handle)
    }
  } catch {}
}

/** A full disk or a power cut left half a line at the end, which must not take the next one with it. */
function isTorn(handle: number): boolean {
  const { size } = fstatSync(handle)
  const last = Buffer.alloc(1)
  return size > 0 && readSync(handle, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE
}

/** Where the lines before those of `file` are. */
export const turned = (file: string): string => `${file}.1`
