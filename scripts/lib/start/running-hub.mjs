// Detects a hub that already runs on a data folder. The hub's own lock decides (STORE-5). This check reads the file beside
// the lock, so that a person learns of it before minutes of installing and building.
import { statSync } from 'node:fs'
import path from 'node:path'
import { isSameProcess, pause, readJson } from '../common/process-facts.mjs'
import { PlainError } from '../common/run.mjs'

/** A hub that is just ending takes its announcement away first. */
const patienceMs = 8_000

/** The hub that holds the folder, or null; what is left in a copy of a folder is not about the copy. */
function holderOf(dataDir) {
  const holder = readJson(path.join(dataDir, 'hub.lock.json'))
  if (holder?.what !== 'hub' || !isSameProcess(holder)) return null
  const { dev, ino } = statSync(dataDir)
  return holder.folder === `${dev}:${ino}` ? holder : null
}

/** Throws a sentence that names the hub, and what to do. */
export async function requireNoHub(dataDir, limitMs = patienceMs) {
  for (const end = Date.now() + limitMs; ; await pause(100)) {
    const holder = holderOf(dataDir)
    if (holder === null) return
    const facts = readJson(path.join(dataDir, 'hub.json'))
    const isUp = facts?.pid === holder.pid
    if (!isUp && Date.now() < end) continue
    const who = `(process ${holder.pid}, since ${new Date(holder.since).toISOString()})`
    const open = isUp ? `open ${facts.url}, or ` : ''
    throw new PlainError(`A hub already runs on ${dataDir} ${who}: ${open}stop it first (kill ${holder.pid}).`)
  }
}
