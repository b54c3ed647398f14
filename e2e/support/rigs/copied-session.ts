/** A resting session that looks like a copy of another one: it has that log and none of the hub's commands. */
import { copyFileSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import type { AgentProcess } from '../processes/agent-process'

/** Call while the agent is not running. Resolves to the id of the copy. */
export function copySession(agent: AgentProcess, sessionId: string, n: number): string {
  const copy = `ses_copy_${String(n).padStart(4, '0')}`
  mkdirSync(agent.sessionFolder(copy), { mode: 0o700 })
  const file = path.join(agent.sessionFolder(copy), 'log.db')
  copyFileSync(path.join(agent.sessionFolder(sessionId), 'log.db'), file)
  const db = new Database(file)
  db.exec("DELETE FROM inbox; DELETE FROM meta WHERE key = 'acked'")
  db.prepare("UPDATE meta SET value = ? WHERE key = 'session'").run(copy) // a log that names another session is no session's
  db.close()
  return copy
}
