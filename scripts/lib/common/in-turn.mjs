// Two commands on one clone (npm start beside npm test) must not install or build at the same time. A file says which
// process does. Native packages may not be installed yet, so it uses none. A dead process is recognised by its pid, start
// time and boot.
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inRoot } from './paths.mjs'
import { identityOf, isSameProcess, pause, readJson } from './process-facts.mjs'

const usualFile = inRoot('.roundhouse/preparing.json')

/** Runs `work` while no other process runs its own under this file. */
export async function inTurn(say, work, file = usualFile) {
  await take(say, file)
  try {
    return await work()
  } finally {
    if (isOurs(file)) rmSync(file, { force: true })
  }
}

const isOurs = (file) => readJson(file)?.pid === process.pid

async function take(say, file) {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const own = `${file}.${process.pid}`
  writeFileSync(own, JSON.stringify(identityOf(process.pid)))
  try {
    for (let told = false; !tryLink(own, file); await pause(100)) {
      const holder = readJson(file) ?? {}
      if (!isSameProcess(holder)) setAside(file, holder)
      else if (!told) {
        told = true
        say(`Process ${holder.pid} installs or builds here; this one continues when it has ended.`)
      }
    }
  } finally {
    rmSync(own, { force: true })
  }
}

/** Whole or not at all, and only where none is. */
function tryLink(own, file) {
  try {
    linkSync(own, file)
    return true
  } catch (error) {
    return error.code !== 'EEXIST' // a file system without a second name for a file knows no turns
  }
}

/** What a dead one left. Where somebody else was faster and has the turn by now, it is given back. */
function setAside(file, dead) {
  const aside = `${file}.${process.pid}.left`
  try {
    renameSync(file, aside)
    const { pid, start } = readJson(aside) ?? dead
    if (pid !== dead.pid || start !== dead.start) tryLink(aside, file)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}
