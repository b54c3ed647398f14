/**
 * A session whose beginning its machine has no more (REB-2): what its events had said is told beside those that are left. It
 * holds as of `seq`. Events up to there may still follow; folding them ends at the same, and what would count twice, costs
 * and grants, is not counted again.
 */
import type { SoFar } from '@roundhouse/backend-types'
import { oneLine } from '../events/one-line'
import type { SessionProjection } from '../events/session-projection'

/** So much of it goes beside one batch. */
const SO_FAR_CHARS = 131_072

/** Null where the log never said what the session is. */
export function soFarOf(p: SessionProjection): SoFar | null {
  if (!p.settings) return null
  const known = {
    realWorkDir: p.realWorkDir,
    title: p.title,
    continuedFrom: p.continuedFrom,
    backendSessionId: p.backendSessionId,
    turnFailed: p.turnFailed,
    cost: p.cost,
    contextUsage: p.contextUsage,
    lastLine: p.lastLine,
    exit: p.exit,
    grants: [...p.grants],
  }
  const told = Object.entries(known).filter(([, value]) => value !== null && value !== undefined)
  const all: SoFar = { seq: p.seq, settings: p.settings, ...Object.fromEntries(told) }
  if (JSON.stringify(all).length <= SO_FAR_CHARS) return all
  const { backend, workDir } = p.settings
  return { seq: 0, settings: { backend, workDir } }
}

/** `after`: what the hub had before. It may hold more than is told. */
export function withSoFar(p: SessionProjection, { seq, ...told }: SoFar, after = p.seq): SessionProjection {
  if (seq > after) return { ...p, ...told, lastLine: oneLine(told.lastLine ?? ''), knownTo: seq }
  if (p.settings) return p
  return { ...p, settings: told.settings, realWorkDir: told.realWorkDir ?? null }
}
