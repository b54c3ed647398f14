/**
 * Entry of the reaper: `node reaper.js <sessionDir> <sessionId> [<launch>]`. A session's guard starts it when its host has
 * died. Without arguments it only reports the marks of processes, for callers that must not block (`mark-reader.ts`).
 */
import { outliveOwnOutput } from '../files/log-line'

const [, entry, sessionDir, sessionId, launch] = process.argv
if (sessionDir === undefined || sessionId === undefined) {
  const { tellMarks } = await import('../processes/tell-marks')
  await tellMarks()
  process.exit(0)
}
outliveOwnOutput()
const [{ reapSession }, { removeLeft }, { markReader }] = await Promise.all([
  import('./reap'),
  import('./remove-left'),
  import('../processes/mark-reader'),
])
const readMarks = markReader({ entry })
const note = await reapSession(sessionDir, sessionId, {
  takeLeft: removeLeft,
  readMarks,
  ...(launch ? { launch } : {}),
})
process.exit(note.left === 0 ? 0 : 1)
