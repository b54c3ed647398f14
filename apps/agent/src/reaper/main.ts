/** Entry of the reaper: `node reaper.js <sessionDir> <sessionId> [<launch>]`. Started by a session's guard when its host has died. */
import { outliveOwnOutput } from '../files/log-line'
import { reapSession } from './reap'
import { removeLeft } from './remove-left'

outliveOwnOutput()
const [, , sessionDir, sessionId, launch] = process.argv
if (sessionDir === undefined || sessionId === undefined) process.exit(2)
const note = await reapSession(sessionDir, sessionId, { takeLeft: removeLeft, ...(launch ? { launch } : {}) })
process.exit(note.left === 0 ? 0 : 1)
